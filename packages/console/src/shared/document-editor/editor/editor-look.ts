/** How the editor looks: our colour roles reach into its shadow root as custom properties. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--term-text)', backgroundColor: 'var(--term-bg)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '22px', overflow: 'auto' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--term-cursor)' },
  '.cm-line': { padding: '0 16px 0 4px' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--text-faint)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '36px', padding: '0 8px 0 0', fontSize: '12px' },
  '.gh-signs': { width: '16px', textAlign: 'center' },
  '.cm-line.gh-added': { backgroundColor: 'var(--ok-soft)' },
  '.gh-removed': {
    padding: '0 16px 0 4px',
    backgroundColor: 'var(--bad-soft)',
    color: 'var(--term-text)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.gh-signs .gh-sign-added': { color: 'var(--ok-text)', backgroundColor: 'var(--ok-soft)' },
  '.gh-signs .gh-sign-removed': { color: 'var(--bad-text)', backgroundColor: 'var(--bad-soft)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--term-select)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--term-cursor)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--term-select)' },
  '.cm-tooltip': {
    border: 'none',
    borderRadius: '8px',
    backgroundColor: 'var(--surface-pop)',
    boxShadow: 'var(--sh-2)',
    color: 'var(--text)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', fontSize: '13px', maxHeight: '240px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 12px', lineHeight: '20px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--surface-4)', color: 'var(--text)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--brand-text)' },
  '.cm-completionDetail': { color: 'var(--text-faint)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
  '.cm-diagnostic': { padding: '8px 12px', fontFamily: 'var(--font-ui)', fontSize: '13px', maxWidth: '420px' },
  '.cm-diagnostic-error': { borderLeft: '2px solid var(--bad)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--term-blue)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--term-green)' },
  { tag: tags.comment, color: 'var(--term-dim)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.labelName, tags.typeName, tags.meta], color: 'var(--term-magenta)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--term-text)' },
]);

export function editorLook(): Extension {
  return [theme, syntaxHighlighting(colours)];
}
