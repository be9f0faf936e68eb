/** Statements that were run, or saved under a name: found by a few letters, put into the editor by a click. */
import type { KeptStatement } from '@gatehouse/contract/kinds/db/editor';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { queryText } from '@gatehouse/contract/std/visible-text';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import Bookmark from 'lucide-react/icons/bookmark';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import Trash2 from 'lucide-react/icons/trash-2';
import { useCallback, useEffect, useState } from 'react';
import { asSentence } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { QuestionFailed, type Workbench } from '../bench/workbench.ts';
import { formatMs } from '../session/status-line.tsx';
import styles from './side.module.css';

interface StatementListProps {
  bench: Workbench;
  what: 'history' | 'saved';
  /** Another value: there may be more by now. */
  version: string;
}

interface Found {
  statements: readonly KeptStatement[];
  before: number | undefined;
}

export function StatementList({ bench, what, version }: StatementListProps) {
  const t = useTranslate();
  const [search, setSearch] = useState('');
  const [found, setFound] = useState<Found>();
  const [failure, setFailure] = useState<string>();

  const load = useCallback(
    async (before: number | undefined): Promise<Found | undefined> => {
      const question =
        what === 'saved'
          ? ({ type: 'saved' } as const)
          : ({ type: 'history', search, ...(before === undefined ? {} : { before }) } as const);
      try {
        const { statements, before: next } = await bench.ask(question, 'statements');
        setFailure(undefined);
        return { statements, before: next };
      } catch (error) {
        if (!(error instanceof QuestionFailed)) throw error;
        setFailure(error.message);
        return undefined;
      }
    },
    [bench, what, search],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has run since is in it
  useEffect(() => {
    let isWanted = true;
    void load(undefined).then((first) => isWanted && first && setFound(first));
    return () => {
      isWanted = false;
    };
  }, [load, version]);

  const wanted = search.trim().toLowerCase();
  const shown = (found?.statements ?? []).filter(
    ({ name = '', sql }) => what === 'history' || `${name} ${sql}`.toLowerCase().includes(wanted),
  );
  const forget = (name: string | undefined) => {
    void bench
      .ask({ type: 'forget', what, ...(name === undefined ? {} : { name }) }, 'done')
      .then(() => load(undefined))
      .then((first) => first && setFound(first))
      .catch((error: unknown) => {
        if (!(error instanceof QuestionFailed)) throw error;
        setFailure(error.message);
      });
  };
  return (
    <div className={styles.list}>
      <TextField
        type="search"
        label={t(`workbench.${what}-search`)}
        labelHidden
        placeholder={t(`workbench.${what}-search`)}
        value={search}
        onValueChange={setSearch}
        onClear={() => setSearch('')}
      />
      {failure !== undefined && failure !== '' && <Notice tone="bad">{asSentence(failure)}</Notice>}
      {found && shown.length === 0 && <p className={styles.none}>{t(`workbench.${what}-none`)}</p>}
      <ul>
        {shown.map(({ at, name, sql, ms, rows, error }, index) => (
          <li key={`${at} ${name ?? index}`} className={styles.item}>
            <button
              type="button"
              className={styles.statement}
              title={cutTitle(sql)}
              onClick={() => bench.put(sql, name)}
            >
              <span className={styles.mark} data-failed={error !== undefined || undefined}>
                <Icon of={what === 'saved' ? Bookmark : error === undefined ? CircleCheck : CircleX} size={14} />
              </span>
              {name !== undefined && <b>{name}</b>}
              <code>{queryText(sql)}</code>
              <span className={styles.facts}>
                <time>{formatDateTime(at)}</time>
                {error !== undefined ? (
                  <span className={styles.error}>{error}</span>
                ) : (
                  rows !== undefined && <span>{t('workbench.rows', { count: rows })}</span>
                )}
                {ms !== undefined && <span>{t('workbench.plan-ms', { ms: formatMs(ms) })}</span>}
              </span>
            </button>
            {what === 'saved' && name !== undefined && (
              <IconButton
                icon={Trash2}
                size="small"
                label={t('workbench.saved-forget', { name })}
                onClick={() => forget(name)}
              />
            )}
          </li>
        ))}
      </ul>
      {found?.before !== undefined && (
        <Button
          size="small"
          onClick={() =>
            void load(found.before).then(
              (next) => next && setFound({ ...next, statements: [...found.statements, ...next.statements] }),
            )
          }
        >
          {t('workbench.history-more')}
        </Button>
      )}
      {what === 'history' && shown.length > 0 && wanted === '' && (
        <Button size="small" tone="ghost" icon={Trash2} onClick={() => forget(undefined)}>
          {t('workbench.history-forget')}
        </Button>
      )}
    </div>
  );
}

function cutTitle(sql: string): string {
  return sql.slice(0, 1_000);
}
