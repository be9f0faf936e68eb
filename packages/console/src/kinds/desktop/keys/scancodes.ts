/** Scancodes of a keyboard's keys, as hosts count them: set 1, with 0xe0 before the ones that came later. */

const row = (first: number, ...codes: readonly string[]) => codes.map((code, index) => [code, first + index] as const);

const SCANCODES: ReadonlyMap<string, number> = new Map([
  ...row(0x01, 'Escape'),
  ...row(0x02, 'Digit1', 'Digit2', 'Digit3', 'Digit4', 'Digit5', 'Digit6', 'Digit7', 'Digit8', 'Digit9', 'Digit0'),
  ...row(0x0c, 'Minus', 'Equal', 'Backspace', 'Tab'),
  ...row(0x10, 'KeyQ', 'KeyW', 'KeyE', 'KeyR', 'KeyT', 'KeyY', 'KeyU', 'KeyI', 'KeyO', 'KeyP'),
  ...row(0x1a, 'BracketLeft', 'BracketRight', 'Enter', 'ControlLeft'),
  ...row(0x1e, 'KeyA', 'KeyS', 'KeyD', 'KeyF', 'KeyG', 'KeyH', 'KeyJ', 'KeyK', 'KeyL', 'Semicolon', 'Quote'),
  ...row(0x29, 'Backquote', 'ShiftLeft', 'Backslash'),
  ...row(0x2c, 'KeyZ', 'KeyX', 'KeyC', 'KeyV', 'KeyB', 'KeyN', 'KeyM', 'Comma', 'Period', 'Slash', 'ShiftRight'),
  ...row(0x37, 'NumpadMultiply', 'AltLeft', 'Space', 'CapsLock'),
  ...row(0x3b, 'F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'NumLock', 'ScrollLock'),
  ...row(0x47, 'Numpad7', 'Numpad8', 'Numpad9', 'NumpadSubtract', 'Numpad4', 'Numpad5', 'Numpad6', 'NumpadAdd'),
  ...row(0x4f, 'Numpad1', 'Numpad2', 'Numpad3', 'Numpad0', 'NumpadDecimal'),
  ...row(0x56, 'IntlBackslash', 'F11', 'F12', 'NumpadEqual'),
  ...row(0x64, 'F13', 'F14', 'F15', 'F16', 'F17', 'F18', 'F19', 'F20', 'F21', 'F22', 'F23'),
  ...row(0x70, 'KanaMode', 'Lang2', 'Lang1', 'IntlRo'),
  ...row(0x76, 'F24'),
  ...row(0x79, 'Convert'),
  ...row(0x7b, 'NonConvert'),
  ...row(0x7d, 'IntlYen', 'NumpadComma'),
  ...row(0xe010, 'MediaTrackPrevious'),
  ...row(0xe019, 'MediaTrackNext'),
  ...row(0xe01c, 'NumpadEnter', 'ControlRight'),
  ...row(0xe020, 'AudioVolumeMute', 'LaunchApp2', 'MediaPlayPause'),
  ...row(0xe024, 'MediaStop'),
  ...row(0xe02e, 'AudioVolumeDown'),
  ...row(0xe030, 'AudioVolumeUp'),
  ...row(0xe032, 'BrowserHome'),
  ...row(0xe035, 'NumpadDivide'),
  ...row(0xe037, 'PrintScreen', 'AltRight'),
  ...row(0xe047, 'Home', 'ArrowUp', 'PageUp'),
  ...row(0xe04b, 'ArrowLeft'),
  ...row(0xe04d, 'ArrowRight'),
  ...row(0xe04f, 'End', 'ArrowDown', 'PageDown', 'Insert', 'Delete'),
  ...row(0xe05b, 'MetaLeft', 'MetaRight', 'ContextMenu'),
]);

/** Of a `KeyboardEvent.code`; undefined for keys that hosts do not know. */
export function scancodeOf(code: string): number | undefined {
  return SCANCODES.get(code);
}

/** Keys that do nothing by themselves. */
export const MODIFIERS: ReadonlySet<string> = new Set([
  'ShiftLeft',
  'ShiftRight',
  'ControlLeft',
  'ControlRight',
  'AltLeft',
  'AltRight',
  'MetaLeft',
  'MetaRight',
]);
