/** The terminal of the player: draws what was recorded as large as its place allows, and lets none of it act. */

import { guardTerminal } from '@gatehouse/contract/sessions/guard-terminal';
import { MAX_COLS, MAX_ROWS } from '@gatehouse/contract/sessions/screen-size';
import { writeInPieces } from '@gatehouse/contract/sessions/write-in-pieces';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { readColours, readMarks } from '../../../shared/terminal-theme/terminal-colours.ts';
import { FONTS, fontLoaded, LINE_HEIGHT, soon } from '../../../shared/terminal-theme/terminal-font.ts';
import { makeInert } from './inert.ts';
import type { ReplayScreen, ReplayScreenOptions, Scale } from './replay-screen.ts';

const FONT_PX = { first: 13, min: 2, max: 19, readable: 11 } as const;
const SCROLLBACK = 500;
/** Ends whatever sequence was open. */
const CANCEL = '\u0018';
/** Forgets all. */
const RESET = '\u001bc';

export function createPlayerTerminal({ label, screenReader, onSelect, onSize }: ReplayScreenOptions): ReplayScreen {
  const home = document.createElement('div');
  home.dataset.terminal = '';
  const terminal = new Terminal({
    allowProposedApi: true,
    cols: 80,
    rows: 24,
    disableStdin: true,
    fontFamily: FONTS.ubuntu,
    fontSize: FONT_PX.first,
    lineHeight: LINE_HEIGHT,
    scrollback: SCROLLBACK,
    cursorBlink: false,
    cursorInactiveStyle: 'block',
    drawBoldTextInBrightColors: false,
    minimumContrastRatio: 4.5,
    rescaleOverlappingGlyphs: true,
    screenReaderMode: screenReader,
    linkHandler: null,
  });
  const search = new SearchAddon();
  terminal.loadAddon(search);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  makeInert(terminal);
  const guard = guardTerminal(terminal);
  let place: HTMLElement | undefined;
  let scale: Scale = 'whole';
  let isMarking = false;
  let filled = '';

  terminal.onResize(({ cols, rows }) => onSize(cols, rows));
  terminal.onSelectionChange(() => !isMarking && onSelect(terminal.getSelection()));
  // Keys belong to the player; nothing is ever typed here.
  terminal.attachCustomKeyEventHandler(() => false);

  const fill = () => {
    const screen = home.querySelector<HTMLElement>('.xterm-screen');
    if (!place || !screen || place.clientWidth === 0) return;
    // Trying sizes draws everything several times: only where something has changed.
    const asked = [terminal.cols, terminal.rows, place.clientWidth, place.clientHeight, scale].join();
    if (asked === filled) return;
    filled = asked;
    const least = scale === 'readable' ? FONT_PX.readable : FONT_PX.min;
    // Letters grow in steps of whole pixels of the display: the second try mends what the first rounded up.
    for (let turn = 0; turn < 4; turn += 1) {
      const { clientWidth: width, clientHeight: height } = screen;
      if (width === 0 || height === 0) return;
      const high = place.clientHeight / height;
      const share = scale === 'readable' ? high : Math.min(place.clientWidth / width, high);
      const before = terminal.options.fontSize ?? FONT_PX.first;
      const wanted = Math.floor(before * share * 20) / 20;
      const size = Math.max(least, Math.min(FONT_PX.max, turn > 0 && share >= 1 ? before : wanted));
      if (size === before) return;
      terminal.options.fontSize = size;
    }
  };
  const resize = (cols: number, rows: number) => {
    const [wide, high] = [Math.max(2, Math.min(cols, MAX_COLS)), Math.max(1, Math.min(rows, MAX_ROWS))];
    if (wide !== terminal.cols || high !== terminal.rows) terminal.resize(wide, high);
    fill();
  };
  const recolour = () => {
    if (home.isConnected) terminal.options.theme = readColours(home);
  };

  return {
    async show(given) {
      place = given;
      given.append(home);
      await soon(fontLoaded(FONT_PX.first));
      if (!home.isConnected || place !== given) return;
      recolour();
      terminal.open(home);
      onSize(terminal.cols, terminal.rows);
      terminal.textarea?.setAttribute('aria-label', label);
      // Not a place to type in, and no stop on the way through the page.
      if (terminal.textarea) terminal.textarea.disabled = true;
      fill();
    },
    fit(next) {
      scale = next;
      fill();
    },
    recolour,
    // Written and not called, because what was written before is still on its way to the screen.
    draw(drawn) {
      terminal.write(CANCEL, guard.trust);
      terminal.write(RESET, () => drawn && resize(drawn.cols, drawn.rows));
      if (drawn) writeInPieces(terminal, drawn.ansi);
    },
    write: (data, done) => writeInPieces(terminal, typeof data === 'string' ? bytesOf(data) : data, done),
    resize: (cols, rows) => terminal.write('', () => resize(cols, rows)),
    settle: (done) => terminal.write('', done),
    mark(text) {
      isMarking = true;
      search.clearDecorations();
      terminal.clearSelection();
      if (text !== '' && home.isConnected) {
        const { match, current } = readMarks(home);
        search.findNext(text, {
          decorations: {
            matchBackground: match,
            matchOverviewRuler: match,
            activeMatchBackground: current,
            activeMatchColorOverviewRuler: current,
          },
        });
        terminal.clearSelection();
      }
      isMarking = false;
    },
    dispose() {
      terminal.dispose();
      home.remove();
    },
  };
}

export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
