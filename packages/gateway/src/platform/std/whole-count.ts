/** What a server says it counted: whole, not negative, and no larger than numbers are exact. Servers say anything, and what is written down must be readable. */
export function wholeCount(said: number): number {
  return said > 0 ? Math.min(Math.floor(said), Number.MAX_SAFE_INTEGER) : 0;
}
