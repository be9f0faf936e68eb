/** Two terminals compared cell by cell, with everything that decides how they go on. */

import { guardTerminal } from '@gatehouse/contract/sessions/guard-terminal';
import unicode from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import {
  type Attributes,
  type Cell,
  type CoreBuffer,
  coreOf,
  newCell,
} from '../../../src/sessions/screens/screen-core.ts';
import { lookOf as fullLookOf } from '../../../src/sessions/screens/sgr.ts';

export function freshTerminal(cols: number, rows: number, scrollback = 1_000): headless.Terminal {
  const terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' });
  terminal.loadAddon(new unicode.Unicode11Addon() as unknown as headless.ITerminalAddon);
  terminal.unicode.activeVersion = '11';
  guardTerminal(terminal);
  return terminal;
}

export function play(terminal: headless.Terminal, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => terminal.write(bytes, resolve));
}

/** As a value that `toEqual` shows the differences of. */
export function screenOf(terminal: headless.Terminal): object {
  const core = coreOf(terminal);
  const { buffers, coreService, coreMouseService, _inputHandler: handler } = core;
  const isAlternate = buffers.active === buffers.alt;
  return {
    cols: terminal.cols,
    rows: terminal.rows,
    isAlternate,
    normal: rowsOf(terminal, buffers.normal),
    alternate: isAlternate ? rowsOf(terminal, buffers.alt) : [],
    cursor: [Math.min(buffers.active.x, terminal.cols), buffers.active.y],
    region: [buffers.active.scrollTop, buffers.active.scrollBottom],
    tabs: Object.keys(buffers.active.tabs).filter(
      (at) => buffers.active.tabs[Number(at)] && Number(at) < terminal.cols,
    ),
    look: lookOf(handler._curAttrData),
    title: handler._windowTitle,
    modes: { ...coreService.decPrivateModes, ...coreService.modes, synchronizedOutput: false },
    hidden: coreService.isCursorHidden,
    mouse: [coreMouseService.activeProtocol, coreMouseService.activeEncoding],
  };
}

function rowsOf(terminal: headless.Terminal, buffer: CoreBuffer): string[] {
  const { cols } = terminal;
  const into = newCell(terminal);
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.lines.get(buffer.ybase + row);
    let cells = line?.isWrapped && row > 0 ? '↩' : '';
    for (let column = 0; line && column < cols; column += 1) {
      const cell = line.loadCell(column, into);
      const width = cell.getWidth();
      const isHalf = width === 2 && (column === cols - 1 || line.getWidth(column + 1) !== 0);
      const isStray = width === 0 && cell.getChars() === '' && line.getWidth(column - 1) !== 2;
      cells += `|${cellText(cell, isHalf || isStray)}`;
    }
    return cells;
  });
}

/** Empty and blank look the same; so does half of a wide character, which no output can draw. */
function cellText(cell: Cell, isBlank: boolean): string {
  const what = isBlank ? ' ' : `${cell.getChars() || ' '}${cell.getWidth() === 1 ? '' : cell.getWidth()}`;
  return `${what}${lookOf(cell)}${cell.isProtected() ? 'p' : ''}`;
}

/** The colour of an underline shows only where there is one. */
function lookOf(cell: Attributes): string {
  const look = fullLookOf(cell);
  if (look === '') return look;
  return look.includes(';4:') ? look : look.replace(/;58:.*$/, '');
}
