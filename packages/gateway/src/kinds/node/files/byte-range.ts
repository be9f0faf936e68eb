/** Which part of a file somebody asks for with a Range header. */

export type AskedRange = { type: 'all' } | { type: 'part'; from: number; to: number } | { type: 'none' };

/** `to` is one beyond the last byte. Several ranges at once are answered with the whole, as the standard allows. */
export function readRangeHeader(header: string | undefined, size: number): AskedRange {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return { type: 'all' };
  if (first === '') {
    const from = Math.max(0, size - Number(last));
    return Number(last) === 0 || size === 0 ? { type: 'none' } : { type: 'part', from, to: size };
  }
  const from = Number(first);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < from) return { type: 'all' };
  return from >= size ? { type: 'none' } : { type: 'part', from, to };
}
