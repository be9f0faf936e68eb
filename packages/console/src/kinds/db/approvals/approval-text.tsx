/** The whole text of a request, in colours: what is approved is what is read here. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { CodeBlock } from '@gatehouse/design/code-block';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { SqlText } from '../../../shared/sql-text/sql-text.tsx';

interface ApprovalTextProps {
  sql: string;
  protocol: DbProtocol;
  /** Where there are several on the page: which of them. */
  number?: number | undefined;
}

export function ApprovalText({ sql, protocol, number }: ApprovalTextProps) {
  const t = useTranslate();
  const isMysql = protocol === 'mysql';
  return (
    <CodeBlock
      label={number === undefined ? t('db-approvals.text') : t('db-approvals.text-of', { number })}
      code={sql}
      wrap
    >
      <SqlText sql={sql} quoting={{ isMysql, backslashes: isMysql }} />
    </CodeBlock>
  );
}
