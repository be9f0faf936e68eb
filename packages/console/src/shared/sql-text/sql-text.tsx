/** SQL in colours, as far as one must take it apart for that. */
import { commentsIn } from '@gatehouse/contract/kinds/db/sql-comments';
import { type Quoting, tokens } from '@gatehouse/contract/kinds/db/sql-tokens';
import { CodePiece, type CodeTone } from '@gatehouse/design/code-block';
import { Fragment, type ReactNode } from 'react';
import { isolated } from './isolated-text.tsx';

const KEYWORDS = new Set(
  (
    'ADD ALL ALTER ANALYZE AND AS ASC BEGIN BETWEEN BY CASCADE CASE COMMIT CONFLICT COPY CREATE CROSS DATABASE DEFAULT DELETE DESC DISTINCT DO ' +
    'DROP ELSE END EXCEPT EXECUTE EXISTS EXPLAIN FETCH FOR FOREIGN FROM FULL FUNCTION GRANT GROUP HAVING IF IN INDEX INNER INSERT INTERSECT ' +
    'INTO IS JOIN KEY LEFT LIKE LIMIT LOCK NOT NULL OFFSET ON OR ORDER OUTER OVER PARTITION PRIMARY REFERENCES RETURNING REVOKE RIGHT ROLE ' +
    'ROLLBACK SCHEMA SELECT SET SHOW TABLE THEN TO TRIGGER TRUNCATE UNION UNIQUE UPDATE USE USER USING VALUES VIEW WHEN WHERE WITH'
  ).split(' '),
);

/** Longer ones are shown plainly: each piece is a part of the page. */
const MAX_COLOURED = 10_000;

export function SqlText({ sql, quoting }: { sql: string; quoting: Quoting }) {
  if (sql.length > MAX_COLOURED) return isolated(sql);
  const pieces: ReactNode[] = [];
  let at = 0;
  const put = (from: number, to: number, tone: CodeTone) => {
    if (from > at) pieces.push(<Fragment key={at}>{isolated(sql.slice(at, from))}</Fragment>);
    pieces.push(
      <CodePiece key={from} tone={tone}>
        {pieceOf(sql.slice(from, to), tone)}
      </CodePiece>,
    );
    at = to;
  };
  const comments = [...commentsIn(sql, quoting)];
  const putComments = (until: number) => {
    for (; comments[0] && comments[0].from < until; comments.shift()) put(comments[0].from, comments[0].to, 'comment');
  };
  for (const { what, from, to } of tokens(sql, quoting)) {
    putComments(from);
    const text = sql.slice(from, to);
    if (what === 'text') put(from, to, 'string');
    else if (what === 'word' && KEYWORDS.has(text.toUpperCase()) && !/["`[]/.test(sql[from - 1] ?? ''))
      put(from, to, 'keyword');
    else if (what === 'other' && /\d/.test(text)) put(from, to, 'number');
  }
  putComments(sql.length);
  return (
    <>
      {pieces}
      {isolated(sql.slice(at))}
    </>
  );
}

function pieceOf(text: string, tone: CodeTone): ReactNode {
  if (tone === 'comment') return isolated(text) === text ? text : <bdi dir="ltr">{text}</bdi>;
  // Between other quotes stands what runs, such as a block.
  return isolated(text, text.startsWith("'") ? 'phrases' : 'words');
}
