/** One xterm and everything that is loaded into it. It outlives the place on the page where it is shown. */

import { guardTerminal } from '@gatehouse/contract/sessions/guard-terminal';
import { writeInPieces } from '@gatehouse/contract/sessions/write-in-pieces';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { SerializeAddon } from '@xterm/addon-serialize';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import type { WebglAddon } from '@xterm/addon-webgl';
import { type ITerminalOptions, Terminal } from '@xterm/xterm';
import { fetchCode } from '../../../platform/code/fetch-code.ts';
import '@xterm/xterm/css/xterm.css';
import { readColours, readMarks } from '../../../shared/terminal-theme/terminal-colours.ts';
import { FONTS, fontLoaded, LINE_HEIGHT, soon } from '../../../shared/terminal-theme/terminal-font.ts';
import type { TerminalSettings } from '../../../shared/terminal-theme/terminal-settings.ts';
import { CLIPBOARD_NAMED, clipboardText, safeLink, safeTitle } from './safe-output.ts';
import { folderOfAddress, folderOfTitle } from './shell-folder.ts';

/** Smaller ones are not drawn but shrunk: the whole screen is seen, however large it is. */
const MIN_LETTERS = 6;
/** What is kept through a reload is bounded: it waits in the browser's small storage. */
const KEPT_LINES = 1_000;

/** Fetched beside the rest: a terminal can be drawn without it. */
const loadWebgl = () => fetchCode(() => import('@xterm/addon-webgl'));

export interface ScreenEvents {
  onType(text: string): void;
  /** Bytes that are no text, such as some mouse reports. */
  onBinary(bytes: Uint8Array): void;
  onPaste(text: string): void;
  onTitle(title: string): void;
  /** Where the shell says it is. */
  onFolder(folder: string): void;
  onBell(): void;
  onClipboard(text: string): void;
  /** The address under the pointer, whatever the words there say. */
  onLink(address: string | undefined): void;
  onFound(found: { at: number; count: number }): void;
  /** Its letters have another size than when it was shown. */
  onMeasured(): void;
  /** True when the key was meant for us and not for the shell. */
  onKey(event: KeyboardEvent): boolean;
}

export interface Finding {
  words: string;
  caseSensitive: boolean;
  regex: boolean;
}

export interface TerminalScreen {
  /** Shows it within `place`; the same terminal may be shown elsewhere later. One that is not current leaves the focus to the one that is. Resolves when its size is known. */
  show(place: HTMLElement, isCurrent: boolean): Promise<void>;
  hide(): void;
  write(data: Uint8Array | string, drawn?: () => void): void;
  /** Of what was printed before, as it was kept or drawn by the gateway. */
  restore(ansi: string): void;
  /** Fills its place; gives the size it then has. */
  fit(): { cols: number; rows: number };
  /** After what has been written so far: what was printed at one size looks wrong at another. */
  resize(cols: number, rows: number): void;
  /** How much would fit at the size of letters that the person has chosen. */
  room(): { cols: number; rows: number };
  /** Takes the size others have agreed on, with smaller letters where it would not fit: all of it is seen. */
  follow(size: { cols: number; rows: number }): void;
  set(settings: TerminalSettings): void;
  /** After the theme has changed. */
  recolour(): void;
  focus(): void;
  paste(text: string): void;
  copy(): boolean;
  selectAll(): void;
  clear(): void;
  find(finding: Finding, direction: 'next' | 'previous'): void;
  endFinding(): void;
  /** A program that fills the whole screen, such as an editor, is running. */
  isFullScreen(): boolean;
  /** What is on it, as output that draws it again. */
  serialize(): string;
  disable(): void;
  dispose(): void;
}

export function createTerminalScreen(settings: TerminalSettings, label: string, events: ScreenEvents): TerminalScreen {
  const home = document.createElement('div');
  home.dataset.terminal = '';
  const terminal = new Terminal({
    ...optionsOf(settings),
    allowProposedApi: true,
    lineHeight: LINE_HEIGHT,
    letterSpacing: 0,
    cursorBlink: true,
    cursorInactiveStyle: 'outline',
    drawBoldTextInBrightColors: false,
    minimumContrastRatio: 4.5,
    macOptionIsMeta: true,
    rescaleOverlappingGlyphs: true,
    linkHandler: {
      activate: (event, text) => follow(event, text),
      hover: (_, text) => hover(text),
      leave: () => hover(),
    },
  });
  const guard = guardTerminal(terminal, CLIPBOARD_NAMED);
  const fit = new FitAddon();
  const search = new SearchAddon();
  const serializer = new SerializeAddon();
  for (const addon of [fit, search, serializer, new Unicode11Addon()]) terminal.loadAddon(addon);
  terminal.loadAddon(new WebLinksAddon(follow, { hover: (_, text) => hover(text), leave: () => hover() }));
  terminal.unicode.activeVersion = '11';
  let webgl: WebglAddon | undefined;
  let isWebglBroken = false;
  let isOpened = false;
  let current = settings;
  /** It was to have the focus before it was there to take it. */
  let wantsFocus = false;
  /** The size of others that it has. */
  let followed: { cols: number; rows: number } | undefined;

  function hearFolder(folder: string | undefined): void {
    if (folder !== undefined) events.onFolder(folder);
  }
  function hover(text?: string): void {
    events.onLink(text === undefined ? undefined : safeLink(text));
  }
  function follow(event: MouseEvent, text: string): void {
    const address = safeLink(text);
    // A plain click selects and positions, as in any terminal.
    if (address && (event.ctrlKey || event.metaKey)) window.open(address, '_blank', 'noopener,noreferrer');
  }

  terminal.onData(events.onType);
  terminal.onBinary((data) => events.onBinary(Uint8Array.from(data, (character) => character.charCodeAt(0))));
  terminal.onTitleChange((title) => {
    events.onTitle(safeTitle(title));
    hearFolder(folderOfTitle(title));
  });
  terminal.parser.registerOscHandler(7, (data) => {
    hearFolder(folderOfAddress(data));
    return true;
  });
  terminal.onBell(events.onBell);
  search.onDidChangeResults(({ resultIndex, resultCount }) => events.onFound({ at: resultIndex, count: resultCount }));
  terminal.parser.registerOscHandler(52, (data) => {
    const text = clipboardText(data);
    if (text !== undefined) events.onClipboard(text);
    return true;
  });
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown' || !events.onKey(event)) return true;
    event.preventDefault();
    return false;
  });
  // Ahead of xterm's own: it would type whatever is on the clipboard, with an end of bracketed paste in the middle.
  home.addEventListener(
    'paste',
    (event) => {
      event.preventDefault();
      event.stopPropagation();
      events.onPaste(event.clipboardData?.getData('text/plain') ?? '');
    },
    { capture: true },
  );

  const drawByWebgl = async () => {
    try {
      const { WebglAddon: Addon } = await loadWebgl();
      if (webgl || isWebglBroken || !home.isConnected) return;
      const addon = new Addon();
      addon.onContextLoss(() => {
        dropWebgl(true);
        events.onMeasured();
      });
      terminal.loadAddon(addon);
      webgl = addon;
    } catch {
      // No WebGL in this browser: the page's own elements draw it, more slowly.
      isWebglBroken = true;
    }
  };
  const dropWebgl = (isBroken: boolean) => {
    isWebglBroken ||= isBroken;
    webgl?.dispose();
    webgl = undefined;
  };
  const recolour = () => {
    if (isOpened && home.isConnected) terminal.options.theme = readColours(home);
  };
  const setLetters = (size: number) => {
    if (terminal.options.fontSize !== size) terminal.options.fontSize = size;
  };
  const proposed = () => {
    const most = home.clientWidth > 0 && home.clientHeight > 0 ? fit.proposeDimensions() : undefined;
    return most ? { cols: most.cols, rows: most.rows } : { cols: terminal.cols, rows: terminal.rows };
  };
  const room = () => {
    const letters = terminal.options.fontSize ?? current.fontSize;
    setLetters(current.fontSize);
    const most = proposed();
    setLetters(letters);
    return most;
  };
  const shrink = (scale: number) => {
    if (terminal.element) terminal.element.style.transform = scale < 1 ? `scale(${scale})` : '';
  };
  /** The largest letters with which all of it is seen. In half steps: those of most sizes in between look blurred. */
  const fitFollowed = () => {
    if (!followed) return;
    const { cols, rows } = followed;
    const share = (most: { cols: number; rows: number }) => Math.min(1, most.cols / cols, most.rows / rows);
    shrink(1);
    let letters = Math.max(MIN_LETTERS, Math.floor(current.fontSize * share(room()) * 2) / 2);
    for (setLetters(letters); letters > MIN_LETTERS && share(proposed()) < 1; setLetters(letters)) letters -= 0.5;
    shrink(share(proposed()));
  };
  const marks = () => {
    const { match, current: active } = readMarks(home);
    return {
      matchBackground: match,
      matchOverviewRuler: match,
      activeMatchBackground: active,
      activeMatchColorOverviewRuler: active,
    };
  };

  return {
    async show(place, isCurrent) {
      place.append(home);
      // It had the focus before it was split, say: taking it back would make it the current one again.
      wantsFocus &&= isCurrent;
      // At once: letters that are typed before the next frame would go nowhere.
      if (isOpened && wantsFocus && !isAtAnotherField()) terminal.focus();
      if (isOpened) wantsFocus = false;
      // Measured with another font, or before the graphics card draws it, the columns would be wrong as soon as that comes.
      if (!isOpened) await soon(Promise.all([fontLoaded(current.fontSize), loadWebgl()]));
      if (!isOpened && home.isConnected) {
        isOpened = true;
        terminal.options.theme = readColours(home);
        terminal.open(home);
        terminal.textarea?.setAttribute('aria-label', label);
        if (wantsFocus && !isAtAnotherField()) terminal.focus();
      } else recolour();
      let isShown = false;
      await soon(drawByWebgl().then(() => isShown && events.onMeasured()));
      isShown = true;
    },
    hide() {
      // Another address draws the screen anew under somebody who types on.
      wantsFocus ||= home.contains(document.activeElement);
      // Browsers allow only so many at a time.
      dropWebgl(false);
      home.remove();
    },
    write: (data, drawn) => writeInPieces(terminal, data, drawn),
    restore(ansi) {
      terminal.write('', guard.trust);
      writeInPieces(terminal, ansi);
    },
    fit() {
      followed = undefined;
      setLetters(current.fontSize);
      shrink(1);
      if (home.clientWidth > 0 && home.clientHeight > 0) fit.fit();
      return { cols: terminal.cols, rows: terminal.rows };
    },
    room,
    follow(size) {
      followed = size;
      terminal.write('', () => {
        if (followed !== size) return;
        terminal.resize(size.cols, size.rows);
        fitFollowed();
      });
    },
    resize(cols, rows) {
      followed = undefined;
      terminal.write('', () => terminal.resize(cols, rows));
    },
    set(next) {
      current = next;
      Object.assign(terminal.options, optionsOf(next));
    },
    recolour,
    focus() {
      wantsFocus = !isOpened;
      terminal.focus();
    },
    paste: (text) => terminal.paste(text),
    copy() {
      if (!terminal.hasSelection()) return false;
      terminal.focus();
      // Not the clipboard's own call: it does not exist on plain HTTP.
      return document.execCommand('copy');
    },
    selectAll: () => terminal.selectAll(),
    clear: () => terminal.clear(),
    find({ words, caseSensitive, regex }, direction) {
      const options = { caseSensitive, regex, decorations: marks() };
      // What is found is selected as well: in the colour of the selection it would be paler than the others.
      const { activeMatchBackground: selectionBackground } = options.decorations;
      terminal.options.theme = {
        ...readColours(home),
        selectionBackground,
        selectionInactiveBackground: selectionBackground,
      };
      try {
        if (direction === 'next') search.findNext(words, options);
        else search.findPrevious(words, options);
      } catch {
        // An expression that is not finished yet finds nothing.
        events.onFound({ at: -1, count: 0 });
      }
    },
    endFinding() {
      search.clearDecorations();
      terminal.clearSelection();
      recolour();
    },
    isFullScreen: () => terminal.buffer.active.type === 'alternate',
    serialize: () => serializer.serialize({ scrollback: KEPT_LINES }),
    disable() {
      terminal.options.disableStdin = true;
      terminal.options.cursorBlink = false;
    },
    dispose() {
      dropWebgl(false);
      terminal.dispose();
      home.remove();
    },
  };
}

/** Since it was to have the focus somebody may have begun to type elsewhere. */
function isAtAnotherField(): boolean {
  return document.activeElement?.matches('input, textarea, [role=dialog] *') ?? false;
}

function optionsOf({ font, fontSize, scrollback, screenReader }: TerminalSettings): ITerminalOptions {
  return { fontFamily: FONTS[font], fontSize, scrollback, screenReaderMode: screenReader };
}
