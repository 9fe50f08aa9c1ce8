/** Says what a book cannot be made from: a sentence that names the file and line, the series or the column. */
export class BookError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BookError'
  }
}
