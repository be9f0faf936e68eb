/**
 * The editor of a document's text. It lives in a shadow root: there its styles are adopted as objects, which the page's
 * policy allows, instead of being written into a style element, which it does not.
 */
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Problem } from '../read-document.ts';
import { changedLines, setSaved } from './changed-lines.ts';
import { completeDocument } from './complete-document.ts';
import type { DocumentSchema } from './document-schema.ts';
import { editorLook } from './editor-look.ts';
import { hangingIndent } from './hanging-indent.ts';

export interface YamlEditorProps {
  label: string;
  /** What may stand in it, offered while somebody types. */
  schema: DocumentSchema;
  value: string;
  /** What changes are marked against. */
  saved: string | undefined;
  problems: readonly Problem[];
  readOnly: boolean;
  onValueChange: (text: string) => void;
  /** The focus has gone elsewhere. */
  onLeave?: () => void;
  /** Filled with a way to put the cursor somewhere. */
  goTo?: RefObject<((problem: Problem) => void) | undefined>;
  className?: string;
}

/** Changes that come from the form must not be told to it again. */
const fromOutside = Annotation.define<true>();

export function YamlEditor({
  label,
  schema,
  value,
  saved,
  problems,
  readOnly,
  onValueChange,
  onLeave,
  goTo,
  className,
}: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<EditorView>();
  const changed = useRef(onValueChange);
  /** Texts that were told and may come back as `value` after newer ones were typed: those must not undo the typing. */
  const told = useRef(new Set<string>());
  useEffect(() => {
    changed.current = onValueChange;
  });

  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      extensions: [
        basics(schema),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          const isOurs = update.transactions.every((transaction) => transaction.annotation(fromOutside));
          if (!update.docChanged || isOurs) return;
          const text = update.state.doc.toString();
          told.current.add(text);
          changed.current(text);
        }),
      ],
    });
    setEditor(view);
    return () => view.destroy();
  }, [label, schema, readOnly]);

  useEffect(() => {
    if (!editor) return;
    const shown = editor.state.doc.toString();
    if (shown !== value && told.current.has(value)) return;
    told.current.clear();
    const change = smallestChange(shown, value);
    if (change) editor.dispatch({ changes: change, annotations: fromOutside.of(true) });
  }, [editor, value]);

  useEffect(() => {
    editor?.dispatch({ effects: setSaved.of(saved) });
  }, [editor, saved]);

  useEffect(() => {
    if (!editor) return;
    const { state } = editor;
    editor.dispatch(
      setDiagnostics(
        state,
        problems.map((problem) => diagnosticOf(state.doc, problem)),
      ),
    );
  }, [editor, problems]);

  useEffect(() => {
    if (!goTo || !editor) return;
    goTo.current = (problem) => {
      editor.dispatch({ selection: { anchor: positionOf(editor.state.doc, problem) }, scrollIntoView: true });
      editor.focus();
    };
    return () => {
      goTo.current = undefined;
    };
  }, [goTo, editor]);

  // biome-ignore lint/a11y/noStaticElementInteractions: what is left is the text inside
  return <div ref={host} className={className} data-editor="" onBlur={onLeave} />;
}

function basics(schema: DocumentSchema): Extension {
  return [
    lineNumbers(),
    changedLines(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [completeDocument(schema)], icons: false }),
    yaml(),
    editorLook(),
    EditorView.lineWrapping,
    hangingIndent(),
    // No key for Tab: it moves on, so that nobody is caught in here without a mouse.
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
  ];
}

function positionOf(text: Text, { line, column }: Problem): number {
  const { from, to } = text.line(Math.max(1, Math.min(line, text.lines)));
  return Math.min(to, from + Math.max(0, column - 1));
}

function diagnosticOf(text: Text, problem: Problem): Diagnostic {
  const from = positionOf(text, problem);
  const line = text.lineAt(from);
  const rest = /^\S+/.exec(line.text.slice(from - line.from))?.[0].length ?? 0;
  return { from, to: from + rest, severity: 'error', message: problem.message };
}

/** Replacing the whole would lose the cursor and make undoing jump. */
function smallestChange(before: string, after: string) {
  if (before === after) return undefined;
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
