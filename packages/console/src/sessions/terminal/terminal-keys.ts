/** Keys that are for the console and not for the shell. None of them means anything to common shells and editors. */

export type Command =
  | 'find'
  | 'copy'
  | 'new-tab'
  | 'close'
  | 'next'
  | 'previous'
  | 'move-right'
  | 'move-left'
  | 'split-right'
  | 'split-down'
  | 'next-pane'
  | 'files'
  | 'larger'
  | 'smaller'
  | 'full-screen'
  | 'share'
  | 'leave';

type Key = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** With Alt and Shift, by the place of the key: what is written on it differs by country. */
const ALT_SHIFT: Record<string, Command> = {
  KeyN: 'new-tab',
  KeyW: 'close',
  KeyF: 'find',
  KeyT: 'leave',
  KeyO: 'files',
  Enter: 'full-screen',
  ArrowRight: 'next',
  ArrowLeft: 'previous',
  PageDown: 'move-right',
  PageUp: 'move-left',
  KeyD: 'split-right',
  KeyE: 'split-down',
  ArrowDown: 'next-pane',
  Equal: 'larger',
  Minus: 'smaller',
};

export function commandOf(event: Key, isMac: boolean): Command | undefined {
  const { code, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey && shiftKey && !ctrlKey && !metaKey) return ALT_SHIFT[code];
  if (isMac && metaKey && !ctrlKey && !altKey) return code === 'KeyF' && !shiftKey ? 'find' : undefined;
  if (!isMac && ctrlKey && shiftKey && !altKey && !metaKey) {
    if (code === 'KeyF') return 'find';
    if (code === 'KeyC') return 'copy';
  }
  return undefined;
}

/** Everything that has a key. Sharing has none: it is a button. */
export type KeyedCommand = Exclude<Command, 'share'>;

/** What is written on the keys, from the same table that they are read by. */
export const KEY_HINTS = hints() as Record<KeyedCommand, readonly string[]>;

function hints(): Partial<Record<Command, readonly string[]>> {
  const written: Partial<Record<Command, readonly string[]>> = {};
  for (const [code, command] of Object.entries(ALT_SHIFT)) written[command] = ['Alt', 'Shift', capOf(code)];
  // Known to more people than the one with Alt.
  return { ...written, find: ['Ctrl', 'Shift', 'F'], copy: ['Ctrl', 'Shift', 'C'] };
}

function capOf(code: string): string {
  const caps: Record<string, string> = {
    Enter: '↵',
    ArrowRight: '→',
    ArrowLeft: '←',
    ArrowDown: '↓',
    PageDown: 'PgDn',
    PageUp: 'PgUp',
    Equal: '+',
    Minus: '−',
  };
  return caps[code] ?? code.replace(/^Key/, '');
}
