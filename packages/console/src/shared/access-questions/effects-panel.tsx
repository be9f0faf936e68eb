/** Who gains and who loses what when a change is saved: counts first, then names. About one person, only what. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { Avatar } from '@gatehouse/design/avatar';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { EffectLine } from './effect-line.tsx';
import styles from './effects-panel.module.css';
import { type EffectGroup, groupEffects } from './group-effects.ts';
import { rightsWords } from './rights-words.ts';
import type { Effects, WhatIf } from './use-what-if.ts';

interface EffectsPanelProps {
  whatIf: WhatIf;
  isChanged: boolean;
  /** The text has faults: nothing can be worked out. */
  isFaulty?: boolean;
  /** The change is of one user: nobody needs to be counted or named. */
  isAboutOne?: boolean;
}

export function EffectsPanel({ whatIf, isChanged, isFaulty = false, isAboutOne = false }: EffectsPanelProps) {
  const t = useTranslate();
  const { effects, failure, isBehind } = whatIf;
  if (isFaulty) return <p className={styles.lead}>{t('roles.effects-faulty')}</p>;
  if (!isChanged) return <p className={styles.lead}>{t('roles.effects-unchanged')}</p>;
  if (failure !== undefined) return <Notice tone="bad">{failureWords(t, failure)}</Notice>;
  if (!effects) {
    return (
      <p className={styles.busy}>
        <SpinnerRing size="small" /> {t('roles.effects-busy')}
      </p>
    );
  }
  return (
    <div className={styles.effects} aria-busy={isBehind} data-behind={isBehind || undefined}>
      {isAboutOne ? <NothingForOne effects={effects} /> : <EffectsSummary effects={effects} />}
      <Side side="gained" effects={effects} isAboutOne={isAboutOne} />
      <Side side="lost" effects={effects} isAboutOne={isAboutOne} />
      <Rights effects={effects} isAboutOne={isAboutOne} />
      {effects.hiddenUsers > 0 && (
        <p className={styles.lead}>{t('roles.effects-hidden', { count: effects.hiddenUsers })}</p>
      )}
    </div>
  );
}

function NothingForOne({ effects: { total, rights } }: { effects: Effects }) {
  const t = useTranslate();
  if (total.users.gained + total.users.lost + rights.users > 0) return null;
  return <p className={styles.lead}>{t('effects.one-none')}</p>;
}

/** The counts alone, for the place where saving is confirmed. */
export function EffectsSummary({ effects }: { effects: Effects }) {
  const t = useTranslate();
  const { total, rights } = effects;
  const isNothing = total.users.gained + total.users.lost + rights.users === 0;
  if (isNothing) return <p className={styles.lead}>{t('roles.effects-none')}</p>;
  return (
    <ul className={styles.summary} aria-label={t('roles.effects-summary')}>
      {effects.kinds.map((extent) => (
        <li key={extent.kind}>
          {extent.names.gained > 0 && (
            <EffectLine side="gained">
              {extentWords(t, 'gain', extent.kind, extent.users.gained, extent.resources.gained)}
            </EffectLine>
          )}
          {extent.names.lost > 0 && (
            <EffectLine side="lost">
              {extentWords(t, 'lose', extent.kind, extent.users.lost, extent.resources.lost)}
            </EffectLine>
          )}
        </li>
      ))}
      {rights.users > 0 && <li>{t('roles.rights-count', { count: rights.users })}</li>}
    </ul>
  );
}

function extentWords(t: Translate, side: 'gain' | 'lose', kind: Kind, users: number, resources: number): string {
  return t(`roles.extent-${side}`, { users, resources: t(`roles.things-${kind}`, { count: resources }) });
}

interface PartProps {
  effects: Effects;
  isAboutOne: boolean;
}

function Side({ side, effects, isAboutOne }: PartProps & { side: 'gained' | 'lost' }) {
  const t = useTranslate();
  const groups = groupEffects(effects.items, side);
  if (groups.length === 0) return null;
  const told = groups.reduce((sum, { users }) => sum + users.length, 0);
  const rest = effects.totalCount - effects.items.length;
  return (
    <section className={styles.side} aria-label={t(`roles.${side}`)}>
      <h3>
        <EffectLine side={side}>{t(`roles.${side}`)}</EffectLine>
      </h3>
      <ul>
        {groups.map((group) => (
          <Group key={group.id} group={group} side={side} isAboutOne={isAboutOne} />
        ))}
      </ul>
      {rest > 0 && <p className={styles.lead}>{t('roles.effects-rest', { told, rest })}</p>}
    </section>
  );
}

const SHOWN_USERS = 6;

interface GroupProps {
  group: EffectGroup;
  side: 'gained' | 'lost';
  isAboutOne: boolean;
}

function Group({ group, side, isAboutOne }: GroupProps) {
  const t = useTranslate();
  const names = group.names.map(({ name, field }) => (field === 'connect' ? t('roles.connecting') : name));
  const more = group.nameCount - group.names.length;
  const shown = group.resourceNames.join(', ');
  const rest = group.resourceCount - group.resourceNames.length;
  return (
    <li className={styles.group}>
      <p>
        {t(isAboutOne ? `effects.one-${side}` : `roles.group-${side}`, {
          users: group.users.length,
          names: more > 0 ? `${names.join(', ')} +${more}` : names.join(', '),
          resources: t(`roles.things-${group.kind}`, { count: group.resourceCount }),
        })}
      </p>
      {!isAboutOne && <People users={group.users} />}
      {shown !== '' && (
        <p className={styles.lead}>{rest > 0 ? t('roles.resources-rest', { names: shown, count: rest }) : shown}</p>
      )}
    </li>
  );
}

function People({ users }: { users: readonly string[] }) {
  return (
    <p className={styles.people}>
      {users.slice(0, SHOWN_USERS).map((user) => (
        <Person key={user} name={user} />
      ))}
      {users.length > SHOWN_USERS && (
        <span title={users.slice(SHOWN_USERS).join(', ')}>+{users.length - SHOWN_USERS}</span>
      )}
    </p>
  );
}

function Person({ name }: { name: string }) {
  return (
    <span className={styles.person}>
      <Avatar name={name} />
      {name}
    </span>
  );
}

function Rights({ effects, isAboutOne }: PartProps) {
  const t = useTranslate();
  const { items } = effects.rights;
  if (items.length === 0) return null;
  return (
    <section className={styles.side} aria-label={t('roles.rights')}>
      <h3>{t('roles.rights')}</h3>
      <ul>
        {items.map(({ user, gained, lost }) => (
          <li key={user} className={styles.group}>
            {!isAboutOne && <Person name={user} />}
            {gained.length > 0 && (
              <p className={styles.lead}>{t('roles.rights-gained', { rights: rightsWords(t, gained) })}</p>
            )}
            {lost.length > 0 && (
              <p className={styles.lead}>{t('roles.rights-lost', { rights: rightsWords(t, lost) })}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
