/** Parts of a picture. */

export interface Rectangle {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Undefined where nothing is in both. */
export function common(one: Rectangle, other: Rectangle): Rectangle | undefined {
  const left = Math.max(one.left, other.left);
  const top = Math.max(one.top, other.top);
  const width = Math.min(one.left + one.width, other.left + other.width) - left;
  const height = Math.min(one.top + one.height, other.top + other.height) - top;
  return width > 0 && height > 0 ? { left, top, width, height } : undefined;
}

/** The smallest that holds both. */
export function around(one: Rectangle | undefined, other: Rectangle): Rectangle {
  if (!one) return other;
  const left = Math.min(one.left, other.left);
  const top = Math.min(one.top, other.top);
  const width = Math.max(one.left + one.width, other.left + other.width) - left;
  const height = Math.max(one.top + one.height, other.top + other.height) - top;
  return { left, top, width, height };
}
