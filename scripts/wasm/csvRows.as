// Rows of a CSV file, in AssemblyScript. `npm run wasm` compiles this to electron/core/export/csvRowsModule.ts.
//
// A number is written with the fewest decimal digits that no other double is nearer to, as JavaScript's `String(value)`
// does. The digits are found by Dragonbox (Junekey Jeon, “Dragonbox: A New Floating-Point Binary-to-Decimal Conversion
// Algorithm”, 2020), implemented here from the paper: the significand times a power of ten of 128 bits gives the
// interval in which every decimal rounds to the double; the result is the decimal in this interval with the fewest
// digits.

/**
 * Address of the table of powers of ten from 10^-292 to 10^326, rounded up to 128 bits, the higher word first; the host
 * fills it.
 */
const POWERS: i32 = 1024;
/** Exponent of the smallest power in the table POWERS, without its sign. */
const SMALLEST_POWER: i32 = 292;
/** Address of the table of powers of ten up to 10^19, 64 bits each. */
const TENS: i32 = 768;
// Addresses of vectors that the host fills.
/** Address of a vector of zeros. */
const NOTHING: i32 = 0;
// Vectors of the factors by which `sixteenDigits` divides and multiplies, in the order of their use.
const PER_10000: i32 = 16;
const TIMES_10000: i32 = 32;
const PER_100: i32 = 48;
const TIMES_100: i32 = 64;
const PER_10: i32 = 80;
const TIMES_10: i32 = 96;
/**
 * Address of two vectors for each number of digits before the decimal point: the shuffle of bytes that leaves a gap for
 * the point, and the values that turn the bytes into the characters of the digits and the point when they are added.
 */
const POINTS: i32 = 12288;
/** Address of the number of the day in DAY_TEXT, the day that was written last. */
const DAY: i32 = 512;
/** Address of the text of the day that was written last. */
const DAY_TEXT: i32 = 520;

const COMMA: u32 = 44;
const MINUS: u32 = 45;
const POINT: u32 = 46;
const ZERO: u32 = 48;
const ZEROS: u64 = 0x3030303030303030;

const NUMBER: i32 = 0;
const TEXT: i32 = 1;

/**
 * Lets the host write a number that this module does not: not finite, subnormal, or a power of two, which is nearer to
 * the double below than to the one above.
 */
@external("env", "writeOther")
declare function writeOther(value: f64, at: i32): i32;
/** Lets the host write an instant outside the years 0 to 9999. */
@external("env", "writeOtherTime")
declare function writeOtherTime(timeMs: f64, at: i32): i32;

/** Returns the higher 64 bits of the product of two numbers. */
@inline
function highProduct(a: u64, b: u64): u64 {
  let aLow: u64 = a & 0xffffffff;
  let aHigh: u64 = a >> 32;
  let bLow: u64 = b & 0xffffffff;
  let bHigh: u64 = b >> 32;
  let middle: u64 = aHigh * bLow + ((aLow * bLow) >> 32);
  let other: u64 = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}

@inline
function digitCount(value: u64): i32 {
  let about: i32 = ((64 - i32(clz(value))) * 1233) >> 12;
  return about + (value >= load<u64>(TENS + (about << 3)));
}

/** Returns the eight digits of a number below 10^8, one per byte, the first one in the lowest byte. */
@inline
function eightDigits(value: u32): u64 {
  let high: u32 = value / 10000;
  let fours: u64 = u64(high) | (u64(value - high * 10000) << 32);
  let hundreds: u64 = ((fours * 10486) >> 20) & 0x7f0000007f;
  let pairs: u64 = hundreds | ((fours - hundreds * 100) << 16);
  let tens: u64 = ((pairs * 103) >> 10) & 0x000f000f000f000f;
  return tens | ((pairs - tens * 10) << 8);
}

/** Writes an integer below 10^8 without leading zeros. */
@inline
function writeSmall(value: u64, at: i32): i32 {
  let count: i32 = digitCount(value | 1);
  store<u64>(at, (eightDigits(u32(value)) | ZEROS) >> u64((8 - count) << 3));
  return at + count;
}

@inline
function writeInteger(value: u64, at: i32): i32 {
  if (value < 100000000) return writeSmall(value, at);
  let high: u64 = value / 100000000;
  let end: i32 = writeSmall(high, at);
  store<u64>(end, eightDigits(u32(value - high * 100000000)) | ZEROS);
  return end + 8;
}

/**
 * Returns the digits of two numbers below 10^8, one per byte. The lower half of the argument is the first number, and
 * its digits come first.
 */
@inline
function sixteenDigits(numbers: u64): v128 {
  let both: v128 = i64x2.splat(numbers);
  let high: v128 = i64x2.shr_u(i64x2.extmul_low_i32x4_u(both, load<v128>(PER_10000)), 45);
  let low: v128 = i64x2.sub(i64x2.extend_low_i32x4_u(both), i32x4.dot_i16x8_s(high, load<v128>(TIMES_10000)));
  let fours: v128 = v128.or(high, i64x2.shl(low, 32));
  let hundreds: v128 = i32x4.shr_u(i32x4.dot_i16x8_s(fours, load<v128>(PER_100)), 20);
  let below: v128 = i16x8.sub(fours, i16x8.mul(hundreds, load<v128>(TIMES_100)));
  let pairs: v128 = v128.or(hundreds, i32x4.shl(below, 16));
  let tens: v128 = i16x8.shr_u(i16x8.mul(pairs, load<v128>(PER_10)), 10);
  return v128.or(tens, i16x8.shl(i16x8.sub(pairs, i16x8.mul(tens, load<v128>(TIMES_10))), 8));
}

/**
 * Writes a number that has no decimal point among its first 16 digits. As JavaScript does, it writes numbers from 10^-6
 * up to 10^21 in full and others with an exponent.
 */
function writeUnparted(first: u32, others: v128, count: i32, before: i32, at: i32): i32 {
  let digits: v128 = v128.or(others, i64x2.splat(ZEROS));
  if (before > 0 && before < 22) {
    // At most 21 digits are written in full, of which 17 are known.
    store<u8>(at, first);
    store<v128>(at, digits, 1);
    store<v128>(at + count, i64x2.splat(ZEROS));
    store<u64>(at + count, ZEROS, 16);
    if (count <= before) return at + before;
    // All 17 digits are known, and only the last one comes after the point.
    store<u8>(at + 17, load<u8>(at + 16));
    store<u8>(at + 16, POINT);
    return at + 18;
  }
  if (before > -6 && before <= 0) {
    store<u64>(at, 0x3030303030302e30);
    let from: i32 = at + 2 - before;
    store<u8>(from, first);
    store<v128>(from, digits, 1);
    return from + count;
  }
  store<u8>(at, first);
  store<u8>(at, POINT, 1);
  store<v128>(at, digits, 2);
  let end: i32 = count == 1 ? at + 1 : at + 1 + count;
  let power: i32 = before - 1;
  store<u8>(end, 101);
  store<u8>(end, power < 0 ? 45 : 43, 1);
  return writeSmall(u64(power < 0 ? 0 - power : power), end + 2);
}

/** Writes digits × 10^exponent; `digits` has 16 or 17 digits, and the last ones may be zeros. */
@inline
function writeDecimal(digits: u64, exponent: i32, at: i32): i32 {
  let isLong: i32 = digits >= 10000000000000000;
  let all: u64 = isLong ? digits : digits * 10;
  // Number of digits before the decimal point.
  let before: i32 = 16 + isLong + exponent;
  let upper: u64 = all / 100000000;
  let first: u32 = u32(upper) / 100000000;
  let others: v128 = sixteenDigits((upper - u64(first) * 100000000) | ((all - upper * 100000000) << 32));
  // Trailing zeros are not written, so `count` excludes them.
  let zeros: i32 = i8x16.bitmask(i8x16.eq(others, load<v128>(NOTHING)));
  let count: i32 = 65 - i32(clz(u64(zeros ^ 0xffff)));
  if (count <= before || before < 1 || before > 15) return writeUnparted(first | ZERO, others, count, before, at);
  store<u8>(at, first | ZERO);
  // One shuffle makes room for the point and moves the digits after it; the last digit no longer fits in the vector.
  let layout: i32 = POINTS + (before << 5);
  store<v128>(at, i8x16.add(i8x16.swizzle(others, load<v128>(layout)), load<v128>(layout, 16)), 1);
  store<u8>(at, u32(all - all / 10 * 10) | ZERO, 17);
  return at + 1 + count;
}

@inline
function writeNumber(value: f64, from: i32): i32 {
  let all: u64 = reinterpret<u64>(value);
  let at: i32 = from;
  store<u8>(at, MINUS);
  at = at + i32(all >> 63);
  let positive: u64 = all & 0x7fffffffffffffff;
  let exponentBits: i32 = i32(positive >> 52);
  // Integers below 2^53.
  if (exponentBits < 1076) {
    let whole: i64 = i64(value);
    if (f64(whole) == value) return writeInteger(u64(whole < 0 ? 0 - whole : whole), at);
  }
  let fraction: u64 = positive & 0xfffffffffffff;
  if (fraction == 0 || exponentBits == 0 || exponentBits == 2047) return writeOther(value, from);
  let twice: u64 = (fraction << 1) | 0x20000000000000;
  let exponent: i32 = exponentBits - 1075;

  // The value is twice × 2^(exponent - 1). It is scaled so that it has three digits more than the shortest decimal may
  // need.
  let power: i32 = 2 - ((exponent * 1262611) >> 22);
  let shift: u64 = u64(exponent + ((power * 1741647) >> 19));
  let entry: i32 = POWERS + ((power + SMALLEST_POWER) << 4);
  let powerHigh: u64 = load<u64>(entry);
  let powerLow: u64 = load<u64>(entry, 8);
  let width: u64 = powerHigh >> (63 - shift);
  let right: u64 = (twice | 1) << shift;
  let carried: u64 = highProduct(right, powerLow);
  let rightFraction: u64 = right * powerHigh + carried;
  let rightWhole: u64 = highProduct(right, powerHigh) + u64(u32(rightFraction < carried));
  // The ends of the interval belong to it if the significand is even.
  let isEven: i32 = i32((twice >> 1) & 1) ^ 1;

  let digits: u64 = rightWhole / 1000;
  let rest: u64 = rightWhole - digits * 1000;
  let isShort: i32 = rest < width;
  if (rest == 0 && rightFraction == 0 && !isEven) {
    digits = digits - 1;
    rest = 1000;
    isShort = 0;
  } else if (rest == width) {
    // The left end of the interval decides; only its fraction matters.
    let left: u64 = twice - 1;
    let low: u64 = left * powerLow;
    let high: u64 = left * powerHigh + highProduct(left, powerLow);
    let isWhole: i32 = ((high << shift) | (low >> (64 - shift))) == 0;
    isShort = i32((high >> (64 - shift)) & 1) | (isWhole & isEven);
  }

  // If no multiple of 1000 lies in the interval (`isShort` is 0), the result is the multiple of 100 nearest to the
  // value, which is the middle of the interval. Which case occurs is nearly random, so a branch would often be
  // mispredicted.
  let distance: u64 = rest - (width >> 1) + 50;
  let hundreds: u64 = (distance * 656) >> 16;
  let isExact: i32 = (hundreds * 100 == distance) & !isShort;
  digits = digits * 10 + (isShort ? 0 : hundreds);
  if (isExact) {
    // The value's fraction decides on which side of the middle between two multiples of 100 the value lies.
    let low: u64 = twice * powerLow;
    let high: u64 = twice * powerHigh + highProduct(twice, powerLow);
    if (((high >> (64 - shift)) & 1) != ((distance ^ 50) & 1)) digits = digits - 1;
    else if (((high << shift) | (low >> (64 - shift))) == 0) digits = digits - (digits & 1);
  }
  return writeDecimal(digits, 2 - power, at);
}

@inline
function twoDigits(value: u32): u32 {
  let tens: u32 = (value * 103) >> 10;
  return (tens | ((value - tens * 10) << 8)) | 0x3030;
}

/** Writes three digits, and overwrites the byte after them with zero. */
@inline
function writeThree(value: u32, at: i32): void {
  let hundreds: u32 = (value * 656) >> 16;
  store<u32>(at, (hundreds | ZERO) | (twoDigits(value - hundreds * 100) << 8));
}

/**
 * Stores the text of a day, such as `2026-08-01T`, at DAY_TEXT. The date is computed with years that begin in March, so
 * that a leap day is the last day of its year.
 */
function writeDay(day: i32): void {
  let shifted: i32 = day + 719468;
  let era: i32 = shifted / 146097;
  let inEra: i32 = shifted - era * 146097;
  let yearOfEra: i32 = (inEra - inEra / 1460 + inEra / 36524 - inEra / 146096) / 365;
  let inYear: i32 = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  let march: i32 = (5 * inYear + 2) / 153;
  let dayOfMonth: i32 = inYear - (153 * march + 2) / 5 + 1;
  let month: i32 = march < 10 ? march + 3 : march - 9;
  let year: u32 = u32(yearOfEra + era * 400 + (month < 3));
  let century: u32 = year / 100;
  store<u16>(DAY_TEXT, twoDigits(century));
  store<u16>(DAY_TEXT, twoDigits(year - century * 100), 2);
  store<u8>(DAY_TEXT, MINUS, 4);
  store<u16>(DAY_TEXT, twoDigits(u32(month)), 5);
  store<u8>(DAY_TEXT, MINUS, 7);
  store<u16>(DAY_TEXT, twoDigits(u32(dayOfMonth)), 8);
  store<u8>(DAY_TEXT, 84, 10);
  store<i32>(DAY, day);
}

/** Writes an instant in UTC: `2026-08-01T12:00:00.000Z`, with microseconds if it has any. */
function writeTime(timeMs: f64, at: i32): i32 {
  // The module writes instants from 1 March of the year 0 to the end of the year 9999.
  if (!(timeMs >= -62162035200000 && timeMs < 253402300799000)) return writeOtherTime(timeMs, at);
  let floorMs: f64 = floor(timeMs);
  let micros: u32 = u32(floor((timeMs - floorMs) * 1000 + 0.5));
  let wholeMs: i64 = i64(floorMs) + i64(micros == 1000);
  // Time is counted from the start of the year 0, before all instants here, so that the division rounds down.
  let sinceStart: u64 = u64(wholeMs + 62167219200000);
  let dayIndex: u64 = sinceStart / 86400000;
  let day: i32 = i32(dayIndex) - 719528;
  if (day != load<i32>(DAY)) writeDay(day);
  let inDay: u32 = u32(sinceStart - dayIndex * 86400000);
  store<u64>(at, load<u64>(DAY_TEXT));
  store<u32>(at, load<u32>(DAY_TEXT, 8), 8);
  let seconds: u32 = inDay / 1000;
  let minutes: u32 = seconds / 60;
  let hours: u32 = minutes / 60;
  store<u16>(at, twoDigits(hours), 11);
  store<u8>(at, 58, 13);
  store<u16>(at, twoDigits(minutes - hours * 60), 14);
  store<u8>(at, 58, 16);
  store<u16>(at, twoDigits(seconds - minutes * 60), 17);
  store<u8>(at, POINT, 19);
  writeThree(inDay - seconds * 1000, at + 20);
  let end: i32 = at + 23;
  if (micros != 0 && micros != 1000) {
    writeThree(micros, end);
    end = end + 3;
  }
  store<u8>(end, 90);
  return end + 1;
}

/**
 * Writes rows and returns the address after them. A column is described by four words: its kind; the address of its
 * values; the address of one byte per row, 0 if the value is missing (this address is 0 if no value is missing); and,
 * for a column of texts, the address of their bytes. The values of such a column are offsets into these bytes, one more
 * than there are rows: a text lies between its own offset and the next.
 */
export function writeRows(rows: i32, columns: i32, columnCount: i32, lineEnd: u32, from: i32): i32 {
  let at: i32 = from;
  let lineEndBytes: i32 = lineEnd > 255 ? 2 : 1;
  let columnsEnd: i32 = columns + (columnCount << 4);
  for (let row: i32 = 0; row < rows; row++) {
    for (let column: i32 = columns; column < columnsEnd; column += 16) {
      let kind: i32 = load<i32>(column);
      let values: i32 = load<i32>(column, 4);
      let valid: i32 = load<i32>(column, 8);
      if (valid == 0 || load<u8>(valid + row) != 0) {
        if (kind == NUMBER) at = writeNumber(load<f64>(values + (row << 3)), at);
        else if (kind == TEXT) {
          let start: i32 = load<i32>(values + (row << 2));
          let bytes: i32 = load<i32>(values + (row << 2), 4) - start;
          memory.copy(at, load<i32>(column, 12) + start, bytes);
          at = at + bytes;
        } else at = writeTime(load<f64>(values + (row << 3)), at);
      }
      store<u8>(at, COMMA);
      at = at + 1;
    }
    // The line end replaces the comma after the last column.
    store<u16>(at - 1, lineEnd);
    at = at - 1 + lineEndBytes;
  }
  return at;
}
