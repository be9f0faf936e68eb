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

export const KEY_HINTS = {
  'new-tab': ['Alt', 'Shift', 'N'],
  find: ['Ctrl', 'Shift', 'F'],
  'split-right': ['Alt', 'Shift', 'D'],
  'split-down': ['Alt', 'Shift', 'E'],
  files: ['Alt', 'Shift', 'O'],
  'full-screen': ['Alt', 'Shift', '↵'],
  close: ['Alt', 'Shift', 'W'],
  larger: ['Alt', 'Shift', '+'],
  smaller: ['Alt', 'Shift', '−'],
} as const satisfies Partial<Record<Command, readonly string[]>>;
