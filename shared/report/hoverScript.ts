/**
 * The only script of a report, which shows the values under the pointer or those chosen with the arrow keys. The page's
 * policy contains the hash of the script; the script element and the hash are both made from this constant.
 */
export const hoverScript = `'use strict';
(() => {
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.setAttribute('role', 'status');
  tip.hidden = true;
  document.body.append(tip);
  const timesOf = ({ x, start, step, count }) => x || Array.from({ length: count }, (_, at) => start + at * step);
  for (const svg of document.querySelectorAll('svg[data-points]')) {
    const { names, isNumber, left, width, from, to, series } = JSON.parse(svg.getAttribute('data-points'));
    const lines = series.map((each) => ({ label: each.label, values: each.values, x: timesOf(each) }));
    const places = [...new Set(lines.flatMap(({ x }) => x))].sort((a, b) => a - b);
    if (places.length === 0) continue;
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    mark.setAttribute('class', 'cursor');
    svg.append(mark);
    let at = -1;
    const nearest = (place) => {
      let low = 0;
      let high = places.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (places[middle] < place) low = middle + 1;
        else high = middle;
      }
      return low > 0 && place - places[low - 1] < places[low] - place ? low - 1 : low;
    };
    const show = (index) => {
      at = Math.max(0, Math.min(places.length - 1, index));
      const place = places[at];
      const rows = lines.flatMap(({ label, values, x }) => {
        const row = x.indexOf(place);
        return row < 0 || values[row] === null ? [] : [label + ': ' + values[row]];
      });
      tip.textContent = [names ? names[place] : isNumber ? String(place) : new Date(place).toISOString(), ...rows].join('\\n');
      tip.hidden = false;
      const box = svg.getBoundingClientRect();
      const scale = box.width / svg.viewBox.baseVal.width;
      const x = left + (to > from ? (place - from) / (to - from) : 0.5) * width;
      mark.setAttribute('d', 'M' + x + ' 0V' + svg.viewBox.baseVal.height);
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      tip.style.left = Math.max(0, Math.min(room, box.left + x * scale + 12)) + window.scrollX + 'px';
      tip.style.top = box.top + window.scrollY + 8 + 'px';
    };
    const hide = () => {
      tip.hidden = true;
      mark.removeAttribute('d');
    };
    svg.addEventListener('pointermove', ({ clientX }) => {
      const box = svg.getBoundingClientRect();
      const x = ((clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      show(nearest(from + ((x - left) / width) * (to - from)));
    });
    svg.addEventListener('pointerleave', hide);
    svg.addEventListener('blur', hide);
    svg.addEventListener('focus', () => show(at < 0 ? places.length - 1 : at));
    svg.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (event.key === 'Escape') hide();
      if (step === undefined) return;
      event.preventDefault();
      show(step === -Infinity ? 0 : step === Infinity ? places.length - 1 : at + step);
    });
  }
})();
`
