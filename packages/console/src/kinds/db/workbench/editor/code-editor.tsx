/** The text of a tab. As the editor of documents it lives in a shadow root, for the page's policy on styles. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { editorLook } from '../../../../shared/document-editor/editor/editor-look.ts';

export interface EditorHandle {
  /** What is selected, or nothing and where the cursor is. */
  selection: () => { from: number; to: number };
  insert: (text: string) => void;
  focus: () => void;
}

/** Where something is wrong in which tab; the same object is marked once. */
export interface Mark {
  slot: number;
  /** The text it was said about stands here. */
  base: number;
  sql: string;
  position: number;
  message: string;
}

export type EditorCommand = 'run' | 'run-all' | 'dry-run' | 'explain' | 'measure' | 'cancel' | 'save';

/** Above those of the editor, some of which mean other things. */
export const EDITOR_KEYS: Readonly<Record<EditorCommand, string>> = {
  run: 'Mod-Enter',
  'run-all': 'Mod-Shift-Enter',
  'dry-run': 'Mod-Alt-Enter',
  explain: 'Mod-e',
  measure: 'Mod-Shift-e',
  cancel: 'Mod-.',
  save: 'Mod-s',
};

export interface CodeEditorProps {
  label: string;
  hint: string;
  /** Its colours, and what it completes. */
  language: Extension;
  slot: number;
  /** Another number: the text of a tab was changed by something else than typing. */
  version: number;
  textOf: (slot: number) => string;
  mark: Mark | undefined;
  onText: (slot: number, text: string) => void;
  onCommand: (command: EditorCommand) => void;
  handle: RefObject<EditorHandle | undefined>;
  className?: string | undefined;
}

export function CodeEditor(props: CodeEditorProps) {
  const { label, hint, language, slot, version, textOf, mark, handle, className } = props;
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  /** Undo and cursor of the tabs that are not in front. */
  const states = useRef(new Map<number, EditorState>());
  const shown = useRef({ slot, version });
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const extensions = [
      commandKeys((command) => latest.current.onCommand(command)),
      basics(latest.current.language),
      placeholder(hint),
      EditorView.contentAttributes.of({
        'aria-label': label,
        spellcheck: 'false',
        autocapitalize: 'off',
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) latest.current.onText(shown.current.slot, state.doc.toString());
      }),
    ];
    const stateOf = (text: string) => EditorState.create({ doc: text, extensions });
    const editor = new EditorView({ root, parent: root, state: stateOf(textOf(shown.current.slot)) });
    const show = (next: number, isFresh: boolean) => {
      states.current.set(shown.current.slot, editor.state);
      const known = states.current.get(next);
      const text = latest.current.textOf(next);
      const isSame = known?.doc.toString() === text;
      shown.current = { slot: next, version: latest.current.version };
      editor.setState(known && isSame && !isFresh ? known : stateOf(text));
    };
    setView(Object.assign(editor, { show }));
    const kept = states.current;
    return () => {
      kept.clear();
      editor.destroy();
    };
  }, [label, hint, textOf]);

  useEffect(() => {
    if (!view || (shown.current.slot === slot && shown.current.version === version)) return;
    (view as EditorView & { show: (slot: number, isFresh: boolean) => void }).show(slot, false);
  }, [view, slot, version]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each tab has a state of its own, which must hear of the names too
  useEffect(() => {
    view?.dispatch({ effects: spoken.reconfigure(language) });
  }, [view, language, slot, version]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab that is marked may come to the front later
  useEffect(() => {
    if (!view) return;
    const { state } = view;
    const isHere = mark?.slot === slot && state.sliceDoc(mark.base, mark.base + mark.sql.length) === mark.sql;
    if (!mark || !isHere) {
      view.dispatch(setDiagnostics(state, []));
      return;
    }
    const from = Math.min(mark.base + mark.position, state.doc.length);
    const word = /^[\p{L}\p{N}_$]+|^\S/u.exec(state.sliceDoc(from, from + 200))?.[0].length ?? 0;
    view.dispatch(setDiagnostics(state, [{ from, to: from + word, severity: 'error', message: mark.message }]));
  }, [view, mark, slot, version]);

  useEffect(() => {
    handle.current = view && {
      selection: () => view.state.selection.main,
      insert(text) {
        view.dispatch(view.state.replaceSelection(text));
        view.focus();
      },
      focus: () => view.focus(),
    };
    return () => {
      handle.current = undefined;
    };
  }, [view, handle]);

  return <div ref={host} className={className} data-editor="" />;
}

const spoken = new Compartment();

function commandKeys(onCommand: (command: EditorCommand) => void): Extension {
  return keymap.of(
    (Object.entries(EDITOR_KEYS) as [EditorCommand, string][]).map(([command, key]) => ({
      key,
      preventDefault: true,
      run: (view) => {
        closeCompletion(view);
        onCommand(command);
        return true;
      },
    })),
  );
}

function basics(language: Extension): Extension {
  return [
    lineNumbers(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    spoken.of(language),
    look,
    editorLook(),
    EditorView.lineWrapping,
    // No key for Tab: it moves on, so that nobody is caught in here without a mouse.
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
  ];
}

const look: Extension = [
  EditorView.theme({
    '.cm-activeLine': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--surface-2)' },
    '.cm-line.gh-current': { boxShadow: 'inset 2px 0 0 var(--brand-line)' },
    '.cm-line': { padding: '0 16px 0 8px' },
    '.cm-placeholder': { color: 'var(--text-faint)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--term-blue)' },
      { tag: tags.propertyName, color: 'var(--term-text)' },
      { tag: [tags.string, tags.special(tags.string)], color: 'var(--term-green)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--term-yellow)' },
      { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--term-cyan)' },
      { tag: [tags.lineComment, tags.blockComment], color: 'var(--term-dim)', fontStyle: 'italic' },
    ]),
  ),
];
