/** Who gains and who loses roles when a draft is saved: those who have signed in before, by what was last said of them. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { TextButton } from '@gatehouse/design/text-link';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { EffectLine } from '../../../shared/access-questions/effect-line.tsx';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';
import { groupEffects, type RoleChange } from './group-effects.ts';
import styles from './trial.module.css';

const TYPING_MS = 500;

interface EffectPaneProps {
  kind: ConnectorKind;
  draft: ConnectorDraft;
  isFaulty: boolean;
  isNew: boolean;
}

export function EffectPane({ kind, draft, isFaulty, isNew }: EffectPaneProps) {
  const t = useTranslate();
  const api = useApi();
  const { userName } = useUser();
  const content = useDebounced(draft.whole, TYPING_MS);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['connector-effect', kind, content],
    queryFn: ({ signal }) => api(connectorTestRoutes.effect, { body: { kind, content } }, signal),
    enabled: !isFaulty && !isNew,
    retry: false,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const groups = useMemo(() => data && groupEffects(data.users), [data]);
  if (isNew) return <p className={styles.muted}>{t('connectors.effect-new')}</p>;
  if (isFaulty) return <p className={styles.muted}>{t('connectors.effect-faulty')}</p>;
  if (error) return <Notice tone="bad">{failureWords(t, error)}</Notice>;
  if (!data || !groups) {
    return (
      <p className={styles.busy}>
        <SpinnerRing size="small" /> {t('connectors.effect-busy')}
      </p>
    );
  }
  const own = data.users.find(
    ({ user, before, after }) => user === userName && before.some((role) => !after.includes(role)),
  );
  return (
    <div className={styles.effect} aria-busy={isPlaceholderData} data-behind={isPlaceholderData || undefined}>
      {data.users.length === 0 && (
        <p className={styles.muted}>
          {t(data.unchanged === 0 ? 'connectors.effect-nobody' : 'connectors.effect-none')}
        </p>
      )}
      {own && (
        <Notice tone="warn" title={t('connectors.effect-you')}>
          {t(own.refused === undefined ? 'connectors.effect-you-text' : 'connectors.effect-you-out')}
        </Notice>
      )}
      <Side side="gained" changes={groups.gained} />
      <Side side="lost" changes={groups.lost} />
      {groups.refused.length > 0 && (
        <section className={styles.change} aria-label={t('connectors.effect-out')}>
          <h4>{t('connectors.effect-out')}</h4>
          <ul>
            {groups.refused.slice(0, MAX_REFUSED).map(({ user, why }) => (
              <li key={user}>
                <b>{user}</b> <span className={styles.faint}>{asSentence(why)}</span>
              </li>
            ))}
            {groups.refused.length > MAX_REFUSED && (
              <li className={styles.faint}>
                {t('connectors.and-more', { count: groups.refused.length - MAX_REFUSED })}
              </li>
            )}
          </ul>
        </section>
      )}
      {data.unchanged > 0 && <p className={styles.faint}>{t('connectors.effect-kept', { count: data.unchanged })}</p>}
    </div>
  );
}

const MAX_REFUSED = 20;

function Side({ side, changes }: { side: 'gained' | 'lost'; changes: readonly RoleChange[] }) {
  const t = useTranslate();
  if (changes.length === 0) return null;
  return (
    <section className={styles.change} aria-label={t(`connectors.${side}`)}>
      <h4>
        <EffectLine side={side}>{t(`connectors.${side}`)}</EffectLine>
      </h4>
      <ul>
        {changes.map((change) => (
          <Change key={change.role} change={change} side={side} />
        ))}
      </ul>
    </section>
  );
}

const NAMED = 2;

function Change({ change: { role, users }, side }: { change: RoleChange; side: 'gained' | 'lost' }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const rest = users.length - NAMED;
  const named = isOpen || rest <= 0 ? users : users.slice(0, NAMED);
  return (
    <li className={styles.changeLine}>
      <span>
        <b>{named.join(', ')}</b>
        {!isOpen && rest > 0 && ` ${t('connectors.and-more', { count: rest })}`}{' '}
        {t(`connectors.person-${side}`, { count: users.length })} <code>{role}</code>
      </span>
      {rest > 0 && (
        <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'connectors.show-fewer' : 'connectors.show-all')}
        </TextButton>
      )}
    </li>
  );
}
