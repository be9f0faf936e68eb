/** What a role may be called, and when two names look like the same one. */

const MAX_CHARACTERS = 128;
const ALLOWED = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]*$/u;

/** What is wrong with a name, or nothing. Names travel in addresses, keys and logs: no slash, no space, no control character. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  if (name.normalize('NFC') !== name) return 'must be written in composed characters (Unicode NFC)';
  if (!ALLOWED.test(name))
    return "must begin with a letter or digit and hold only letters, digits and '.', '_', '-', '+', '@'";
  return undefined;
}

/** Letters of other scripts that are drawn like Latin ones, with what they are drawn like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аеорсухіјѕһԁԛԝвнкмтгпди', 'aeopcyxijshdqwbhkmtrnau'],
    ['αβεηικνορτυχωγ', 'abenikvoptuxwy'],
    ['օսհոցզ', 'oshngq'],
    ['ıɩłøđħŧƅɑɡ', 'iilodhtbag'],
  ].flatMap(([from, to]) => [...from!].map((letter, index) => [letter, [...to!][index]!])),
);
const SAME_SHAPE: Readonly<Record<string, string>> = { 0: 'o', 1: 'l', i: 'l', '|': 'l' };

const PLAIN = /^[\x20-\x7e]*$/;

/** Two names with the same shape are taken for each other by a reader; only one of them may exist. */
export function shapeOfName(name: string): string {
  // Thousands are held against each new one, and hardly any has other letters.
  const latin = PLAIN.test(name) ? name.toLowerCase() : latinOf(name);
  return latin
    .replaceAll(/[01i|]/g, (letter) => SAME_SHAPE[letter]!)
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

function latinOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFKC').toLowerCase();
  return [...plain].map((letter) => LOOK_ALIKES[letter] ?? letter).join('');
}
