/** Gives out something long in pieces for as long as whoever fetches it may have it. */

/** Well within the two seconds in which it must be over. */
const ASK_EVERY_MS = 1_000;

/** `require` throws once they may not any more; what they have by then they have. */
export async function* whileAllowed<Piece>(
  pieces: AsyncIterable<Piece>,
  require: () => Promise<void>,
  everyMs = ASK_EVERY_MS,
): AsyncGenerator<Piece> {
  let asked = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - asked >= everyMs) {
      await require();
      asked = performance.now();
    }
    yield piece;
  }
}
