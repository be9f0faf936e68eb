/**
 * Lets recorded output be shown in the terminal of whoever plays it: text, colours and moves of the cursor pass, and nothing
 * that answers, copies, renames, reports the mouse or changes what keys mean. What is not known to be harmless is left out.
 */

/** Moves, erasing, inserting, scrolling, colours. */
const HARMLESS_FINALS = new Set('ABCDEFGHIJKLMPSTXZ@`abdefgmrsu');
/** Cursor keys, origin, wrapping, the cursor and its blinking, the second screen. */
const HARMLESS_PRIVATE_MODES = new Set(['1', '6', '7', '12', '25', '47', '1047', '1048', '1049']);
const HARMLESS_MODES = new Set(['4', '20']);
const HARMLESS_ESCAPES = new Set('78DEMH=>');
const MAX_SEQUENCE_CHARACTERS = 128;

/** Puts the terminal back as it is wont to be. */
export const AS_BEFORE = '\u001b[?1049l\u001b[?7h\u001b[?1l\u001b>\u001b[r\u001b(B\u001b[0m\u001b[?25h\r\n';

type State = 'ground' | 'escape' | 'charset' | 'skipOne' | 'control' | 'string' | 'stringEscape';

export class SafeOutput {
  readonly #decoder = new TextDecoder('utf-8');
  #state: State = 'ground';
  #sequence = '';

  /** What of it may be shown. */
  push(bytes: Uint8Array): string {
    let shown = '';
    for (const character of this.#decoder.decode(bytes, { stream: true })) shown += this.#take(character);
    return shown;
  }

  #take(character: string): string {
    const code = character.codePointAt(0) ?? 0;
    switch (this.#state) {
      case 'ground':
        return this.#inText(character, code);
      case 'escape':
        return this.#afterEscape(character);
      case 'charset': {
        const sequence = this.#sequence;
        this.#state = 'ground';
        return character === 'B' || character === '0' ? `\u001b${sequence}${character}` : '';
      }
      case 'skipOne':
        this.#state = 'ground';
        return '';
      case 'control':
        return this.#inControl(character, code);
      case 'string':
        if (code === 0x07 || code === 0x9c || code === 0x18 || code === 0x1a) this.#state = 'ground';
        else if (code === 0x1b) this.#state = 'stringEscape';
        return '';
      case 'stringEscape':
        this.#state = 'ground';
        return character === '\\' ? '' : this.#afterEscape(character);
      default:
        return this.#state satisfies never;
    }
  }

  #inText(character: string, code: number): string {
    if (code === 0x1b) {
      this.#state = 'escape';
      return '';
    }
    if (code === 0x9b) {
      this.#begin('control');
      return '';
    }
    if (code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f) {
      this.#state = 'string';
      return '';
    }
    if (code >= 0x20 && (code < 0x7f || code > 0x9f)) return character;
    return '\b\t\n\r'.includes(character) ? character : '';
  }

  #afterEscape(character: string): string {
    this.#state = 'ground';
    if (character === '[') this.#begin('control');
    else if (']PX^_k'.includes(character)) this.#state = 'string';
    else if (character === '(' || character === ')') {
      this.#state = 'charset';
      this.#sequence = character;
    } else if ('*+-./#% '.includes(character)) this.#state = 'skipOne';
    else if (character === '\u001b') this.#state = 'escape';
    else if (HARMLESS_ESCAPES.has(character)) return `\u001b${character}`;
    return '';
  }

  #begin(state: State): void {
    this.#state = state;
    this.#sequence = '';
  }

  #inControl(character: string, code: number): string {
    if (code === 0x1b) {
      this.#state = 'escape';
      return '';
    }
    if (code >= 0x20 && code <= 0x3f && this.#sequence.length < MAX_SEQUENCE_CHARACTERS) {
      this.#sequence += character;
      return '';
    }
    this.#state = 'ground';
    return code >= 0x40 && code <= 0x7e ? harmless(this.#sequence, character) : '';
  }
}

function harmless(sequence: string, final: string): string {
  const isPlain = /^[\d;:]*$/.test(sequence);
  if (isPlain && HARMLESS_FINALS.has(final)) return `\u001b[${sequence}${final}`;
  if (final !== 'h' && final !== 'l') return '';
  const isPrivate = /^\?[\d;]*$/.test(sequence);
  if (!isPlain && !isPrivate) return '';
  const modes = sequence.replace('?', '').split(';');
  const known = modes.filter((mode) => (isPrivate ? HARMLESS_PRIVATE_MODES : HARMLESS_MODES).has(mode));
  return known.length === 0 ? '' : `\u001b[${isPrivate ? '?' : ''}${known.join(';')}${final}`;
}
