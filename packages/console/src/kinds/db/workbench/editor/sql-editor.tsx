/** The statements of a tab, in one kind of SQL. */
import { type SQLNamespace, sql } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';
import { useMemo } from 'react';
import type { Dialect } from '../dialects.ts';
import { CodeEditor, type CodeEditorProps } from './code-editor.tsx';
import { currentStatement } from './current-statement.ts';

interface SqlEditorProps extends Omit<CodeEditorProps, 'language'> {
  dialect: Dialect;
  names: SQLNamespace | undefined;
}

export function SqlEditor({ dialect, names, ...editor }: SqlEditorProps) {
  const statement = useMemo(() => currentStatement(dialect.quoting), [dialect]);
  const language = useMemo(() => [languageOf(dialect, names), statement], [dialect, names, statement]);
  return <CodeEditor {...editor} language={language} />;
}

function languageOf({ language: dialect, schema }: Dialect, names: SQLNamespace | undefined): Extension {
  return sql({
    dialect,
    upperCaseKeywords: true,
    ...(names === undefined ? {} : { schema: names }),
    ...(schema === undefined ? {} : { defaultSchema: schema }),
  });
}
