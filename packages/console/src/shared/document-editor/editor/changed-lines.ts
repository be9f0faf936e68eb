/** Marks in the editor what differs from the saved text: added lines in green, lines that went in red between them. */
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, WidgetType } from '@codemirror/view';
import { lineDiff } from '../line-diff.ts';

/** The saved text; undefined for a document that was never saved, which has no changes. */
export const setSaved = StateEffect.define<string | undefined>();

interface Changes {
  saved: string | undefined;
  marks: DecorationSet;
  /** Positions of the lines that are new. */
  added: ReadonlySet<number>;
}

class RemovedLine extends WidgetType {
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  override eq(other: RemovedLine): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    const line = document.createElement('div');
    line.className = 'gh-removed';
    line.textContent = this.text === '' ? '\u200b' : this.text;
    return line;
  }
}

class Sign extends GutterMarker {
  readonly sign: string;
  constructor(sign: string) {
    super();
    this.sign = sign;
    this.elementClass = sign === '+' ? 'gh-sign-added' : 'gh-sign-removed';
  }
  override toDOM(): Text {
    return document.createTextNode(this.sign);
  }
}

const PLUS = new Sign('+');
const MINUS = new Sign('−');
const addedLine = Decoration.line({ class: 'gh-added' });

function changesOf(state: EditorState, saved: string | undefined): Changes {
  if (saved === undefined) return { saved, marks: Decoration.none, added: new Set() };
  const marks = [];
  const added = new Set<number>();
  let line = 1;
  for (const { type, text } of lineDiff(saved, state.doc.toString())) {
    const isPastEnd = line > state.doc.lines;
    const at = isPastEnd ? state.doc.length : state.doc.line(line).from;
    if (type === 'removed') {
      marks.push(Decoration.widget({ widget: new RemovedLine(text), block: true, side: isPastEnd ? 1 : -1 }).range(at));
      continue;
    }
    if (type === 'added') {
      added.add(at);
      marks.push(addedLine.range(at));
    }
    line += 1;
  }
  return { saved, marks: Decoration.set(marks, true), added };
}

const field = StateField.define<Changes>({
  create: (state) => changesOf(state, undefined),
  update(changes, transaction) {
    const given = transaction.effects.find((effect) => effect.is(setSaved));
    if (!given && !transaction.docChanged) return changes;
    return changesOf(transaction.state, given ? given.value : changes.saved);
  },
  provide: (self) => EditorView.decorations.from(self, ({ marks }) => marks),
});

export function changedLines(): Extension {
  const signs = gutter({
    class: 'gh-signs',
    lineMarker: (view, line) => (view.state.field(field).added.has(line.from) ? PLUS : null),
    widgetMarker: (_, widget) => (widget instanceof RemovedLine ? MINUS : null),
    lineMarkerChange: (update) => update.startState.field(field) !== update.state.field(field),
    initialSpacer: () => PLUS,
  });
  return [field, signs];
}
