/**
 * Reads the token from this tab's session storage, where a reload finds it too. `public/takeToken.js` moved it there
 * from the address; null if there was none.
 */
export const readToken = (): string | null => sessionStorage.getItem('perpscope.token')
