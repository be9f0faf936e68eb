/** Everything a provider said about somebody: each claim with its values, which entry uses one, and what was left out. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { TextButton } from '@gatehouse/design/text-link';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import MessagesSquare from 'lucide-react/icons/messages-square';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { entriesIn, isUsedBy } from '../mapping.ts';
import styles from './trial.module.css';

interface ClaimsPaneProps {
  /** Of the heading, by which the pane is called. */
  id: string;
  kind: ConnectorKind;
  said: ConnectorTest | undefined;
  draft: Draft;
  title: string;
}

export function ClaimsPane({ id, kind, said, draft, title }: ClaimsPaneProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  const claims = Object.entries(said?.claims ?? {}).sort(([a], [b]) => a.localeCompare(b));
  const entries = entriesIn(kind, draft.value);
  const { single, common } = droppedOf(said);
  return (
    <>
      <header className={styles.paneHead}>
        <h2 id={id}>{t('connectors.said', { name: title })}</h2>
        {claims.length > 0 && (
          <>
            <span className={styles.faint}>{t('connectors.claims', { count: claims.length })}</span>
            <Button
              className={styles.paneAction}
              tone="ghost"
              size="small"
              icon={state === 'copied' ? Check : Copy}
              onClick={() => void copy(JSON.stringify(said?.claims, undefined, 2))}
            >
              {t(state === 'copied' ? 'common.copied' : 'common.copy')}
            </Button>
          </>
        )}
      </header>
      <div className={styles.paneBody}>
        {claims.length === 0 ? (
          <EmptyState level={3} icon={MessagesSquare} title={t('connectors.said-nothing')}>
            {t('connectors.said-nothing-text', { name: title })}
          </EmptyState>
        ) : (
          <dl>
            {claims.map(([claim, values]) => (
              <div key={claim} className={styles.claim}>
                <dt>{claim}</dt>
                <dd>
                  <Values
                    values={values}
                    count={said?.counts[claim] ?? values.length}
                    usedBy={(value) =>
                      entries.flatMap((entry, at) => (isUsedBy(kind, entry, claim, value) ? [at] : []))
                    }
                  />
                  {single
                    .filter((each) => each.claim === claim)
                    .map(({ why }) => (
                      <p key={why} className={styles.dropped}>
                        {t('connectors.left-out', { why })}
                      </p>
                    ))}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {common.map(({ why, claims: named }) => (
          <p key={why} className={styles.faint}>
            {t('connectors.not-kept', { why, claims: named.join(', ') })}
          </p>
        ))}
      </div>
    </>
  );
}

/** More than these with one reason are told together: it would stand at nearly every claim. */
const MAX_SINGLE = 2;

function droppedOf(said: ConnectorTest | undefined) {
  const reasons = new Map<string, string[]>();
  for (const { claim, why } of said?.dropped ?? []) reasons.set(why, [...(reasons.get(why) ?? []), claim]);
  const isCommon = (why: string) => (reasons.get(why)?.length ?? 0) > MAX_SINGLE;
  return {
    single: said?.dropped.filter(({ why }) => !isCommon(why)) ?? [],
    common: [...reasons].filter(([why]) => isCommon(why)).map(([why, claims]) => ({ why, claims })),
  };
}

/** Twenty-five thousand groups are shown a few at a time. */
const SHOWN = 12;
const MORE = 100;

interface ValuesProps {
  values: readonly string[];
  /** There may be more than were sent. */
  count: number;
  usedBy: (value: string) => number[];
}

function Values({ values, count, usedBy }: ValuesProps) {
  const t = useTranslate();
  const [limit, setLimit] = useState(SHOWN);
  // Those that some entry looks for stand first: among thousands they would not be found.
  const marked = values.map((value) => ({ value, places: usedBy(value) }));
  const sorted = [
    ...marked.filter(({ places }) => places.length > 0),
    ...marked.filter(({ places }) => places.length === 0),
  ];
  const rest = count - Math.min(limit, values.length);
  return (
    <>
      {sorted.slice(0, limit).map(({ value, places }) => (
        <div key={value} className={styles.value} data-used={places.length > 0 || undefined}>
          <span title={value}>{value}</span>
          {places.map((place) => (
            <span key={place} className={styles.place} title={t('connectors.used-by', { entry: place + 1 })}>
              {place + 1}
            </span>
          ))}
        </div>
      ))}
      {rest > 0 &&
        (limit < values.length ? (
          <TextButton onClick={() => setLimit(limit + MORE)}>{t('connectors.more-values', { count: rest })}</TextButton>
        ) : (
          <p className={styles.faint}>{t('connectors.not-sent', { count: rest })}</p>
        ))}
    </>
  );
}
