/** Values in shell scripts. One that is not quoted here must not stand in a script: whoever chose it would choose what runs. */

/** One word to any POSIX shell, whatever it holds. NUL cannot be a part of a word and is refused. */
export function shellQuote(value: string): string {
  if (value.includes('\0')) throw new Error('a value with NUL cannot stand in a script');
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** The same for lines that people read and paste: what needs no quotes has none. */
export function shellWord(value: string): string {
  return /^[\w.@:/+-]+$/.test(value) ? value : shellQuote(value.replaceAll('\0', ''));
}

export function assignments(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      if (!/^[A-Z][A-Z0-9_]*$/.test(name)) throw new Error(`'${name}' is no name of a variable`);
      return `${name}=${shellQuote(value)}\n`;
    })
    .join('');
}
