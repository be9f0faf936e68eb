/** The letters of terminals, live and recorded: they must look the same in both. */

const SYSTEM_FONT = 'ui-monospace, Menlo, Consolas, monospace';
const OWN_FONT = 'Ubuntu Sans Mono';
export const FONTS = { ubuntu: `"${OWN_FONT}", "Ubuntu Mono", ${SYSTEM_FONT}`, system: SYSTEM_FONT } as const;
/** Rows need a little air; box drawing is drawn to the full height anyway. */
export const LINE_HEIGHT = 1.2;
const AWAITED_MS = 300;

/** Measured with another font, columns would be wrong as soon as ours comes. */
export async function fontLoaded(size: number): Promise<void> {
  await document.fonts?.load(`${size}px "${OWN_FONT}"`);
}

/** What does not come in time, or not at all, must not keep anybody from their terminal. */
export async function soon(work: Promise<unknown>): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, AWAITED_MS));
  await Promise.race([work.catch(() => undefined), late]);
}
