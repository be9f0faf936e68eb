/** How the small cluster calls its version. */

export function gitVersionOf(minor: number): string {
  return `v1.${minor}.2`;
}
