/** Who somebody would be here: new, known or refused, with their roles and what gives each. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { Avatar } from '@gatehouse/design/avatar';
import { Badge } from '@gatehouse/design/badge';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { entriesIn, placeOf } from '../mapping.ts';
import { Lacking } from './lacking.tsx';
import styles from './trial.module.css';

interface OutcomePaneProps {
  id: string;
  kind: ConnectorKind;
  said: ConnectorTest | undefined;
  draft: Draft;
  /** The draft has changed since. */
  isOld: boolean;
}

export function OutcomePane({ id, kind, said, draft, isOld }: OutcomePaneProps) {
  const t = useTranslate();
  const isKnown = said !== undefined && said.user !== '';
  return (
    <>
      <header className={styles.paneHead}>
        <h2 id={id}>{isKnown ? t('connectors.who', { user: said.user }) : t('connectors.who-nobody')}</h2>
        {isOld && isKnown && <Badge tone="warn">{t('connectors.before-change')}</Badge>}
      </header>
      <div className={styles.paneBody}>
        {isKnown ? (
          <>
            <Outcome said={said} />
            {!isOld && <Lacking kind={kind} said={said} entries={entriesIn(kind, draft.value)} />}
          </>
        ) : (
          <p className={styles.muted}>{t('connectors.who-text')}</p>
        )}
      </div>
    </>
  );
}

function Outcome({ said }: { said: ConnectorTest }) {
  const t = useTranslate();
  const traits = Object.entries(said.traits);
  const isTold = said.claims && new Set(Object.keys(said.claims));
  const dropped = said.dropped.filter(({ claim }) => !isTold.has(claim));
  return (
    <>
      <div className={styles.person}>
        <Avatar name={said.user} />
        <div>
          <b>{said.user}</b>
          {said.outcome !== '' && <span className={styles.faint}>{t(`connectors.outcome-${said.outcome}`)}</span>}
        </div>
      </div>
      {said.conflict && <Notice tone="bad">{asSentence(said.conflict)}</Notice>}
      {said.roles.length === 0 && !said.conflict && <Notice tone="bad">{t('connectors.no-role')}</Notice>}
      <ul className={styles.given}>
        {said.roles.map(({ role, entry, exists }) => (
          <li key={`${role} ${entry}`}>
            <LabelChip value={role} />
            {!exists && <Badge tone="warn">{t('connectors.no-such-role')}</Badge>}
            <span className={styles.faint}>{entryWords(t, entry)}</span>
          </li>
        ))}
        {traits.map(([trait, values]) => (
          <li key={trait}>
            <span className={styles.muted}>{t('connectors.trait')}</span>
            <code>{trait}</code>
            <span className={styles.faint} title={values.join(', ')}>
              {t('connectors.values', { count: values.length, first: values[0] ?? '' })}
            </span>
          </li>
        ))}
        {dropped.map(({ claim, why }) => (
          <li key={claim}>
            <code>{claim}</code>
            <span className={styles.dropped}>{t('connectors.left-out', { why })}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function entryWords(t: ReturnType<typeof useTranslate>, entry: string): string {
  const place = placeOf(entry);
  return place === undefined ? entry : t('connectors.by-entry', { entry: place + 1 });
}
