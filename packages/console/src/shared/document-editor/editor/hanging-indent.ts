/** A line that is wrapped goes on below its own text, a step further in, so that what belongs together is seen. */
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** Deeper lines hang as this one does: there would be no room left for the text. */
const DEEPEST = 24;
const STEP = 2;

/** By class and not by style: the page's policy refuses styles that are written into elements. */
const theme = EditorView.theme(
  Object.fromEntries(
    Array.from({ length: DEEPEST + 1 }, (_, depth) => [
      `.cm-line.gh-hang-${depth}`,
      { paddingLeft: `calc(4px + ${depth + STEP}ch)`, textIndent: `-${depth + STEP}ch` },
    ]),
  ),
);

const marks = Array.from({ length: DEEPEST + 1 }, (_, depth) => Decoration.line({ class: `gh-hang-${depth}` }));

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = hang(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = hang(update.view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function hang({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      builder.add(line.from, line.from, marks[depthOf(line.text)]!);
      at = line.to + 1;
    }
  }
  return builder.finish();
}

export function depthOf(text: string): number {
  return Math.min(DEEPEST, /^ *(?:- )*/.exec(text)?.[0].length ?? 0);
}

export function hangingIndent(): Extension {
  return [theme, plugin];
}
