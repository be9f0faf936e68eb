/** A bar beside the lines of the statement that would be run. */

import { type EditorState, type Extension, RangeSetBuilder, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Quoting } from '@gatehouse/contract/kinds/db/sql-tokens';
import { statementAt } from './statement-at.ts';

/** In longer texts it is not looked for at each key. */
const MAX_LENGTH = 100_000;
const bar = Decoration.line({ class: 'gh-current' });

export function currentStatement(quoting: Quoting): Extension {
  const find = (state: EditorState): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>();
    const { doc, selection } = state;
    const found = doc.length > MAX_LENGTH ? undefined : statementAt(doc.toString(), selection.main.head, quoting);
    if (!found) return builder.finish();
    for (let at = found.from; at <= found.to; ) {
      const line = doc.lineAt(at);
      builder.add(line.from, line.from, bar);
      at = line.to + 1;
    }
    return builder.finish();
  };
  return StateField.define<DecorationSet>({
    create: find,
    update: (before, { docChanged, selection, state }) => (docChanged || selection ? find(state) : before),
    provide: (field) => EditorView.decorations.from(field),
  });
}
