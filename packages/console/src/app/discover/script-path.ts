/** Which script a command fetches, as the gateway itself is asked for it. */

/** In quotes in every command: what stands behind it is for a shell. */
const SCRIPT = /'https?:\/\/[^/'\s]+(\/scripts\/[^/'\s]+\/[^'\s]+)'/;

export function scriptPathIn(command: string): string | undefined {
  return SCRIPT.exec(command)?.[1];
}
