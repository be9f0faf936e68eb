/** What saving would change: warnings first, then which recent visitors gain and which lose. */
import { Avatar } from '@gatehouse/design/avatar';
import { Icon } from '@gatehouse/design/icon';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { TextButton } from '@gatehouse/design/text-link';
import Equal from 'lucide-react/icons/equal';
import { useState } from 'react';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { EffectLine } from '../../../shared/access-questions/effect-line.tsx';
import styles from './trust.module.css';
import type { MapAnswer } from './use-map-preview.ts';

interface EffectsPaneProps {
  answer: MapAnswer;
  isNew: boolean;
  /** Saving lets nobody in any more. */
  isShut: boolean;
  /** How many have been here; unknown for a new trust. */
  visitors: number | undefined;
}

export function EffectsPane({ answer, isNew, isShut, visitors = 0 }: EffectsPaneProps) {
  const t = useTranslate();
  const { preview, failure, wrong, isBehind } = answer;
  const people = preview?.visitors ?? [];
  const gain = people.filter(({ gains }) => gains.length > 0);
  const lose = people.filter(({ loses }) => loses.length > 0);
  const same = Math.max(0, visitors - people.length);
  return (
    <aside className={styles.effects} aria-label={t(isNew ? 'trust.effects-new' : 'trust.effects')}>
      <h2 className={styles.effectsHead}>
        {t(isNew ? 'trust.effects-new' : 'trust.effects')}
        {isBehind && <SpinnerRing size="small" />}
      </h2>
      <div className={styles.effectsBody} aria-busy={isBehind}>
        {failure !== undefined && <Notice tone="bad">{failureWords(t, failure)}</Notice>}
        {wrong.size > 0 && <p className={styles.muted}>{t('trust.mend-first')}</p>}
        {isShut && (
          <Notice tone="bad" announce="none" title={t('trust.shut')}>
            {t('trust.shut-text')}
          </Notice>
        )}
        {preview?.warnings.map((warning) => (
          <Notice key={warning} tone="warn" announce="none">
            {asSentence(warning)}
          </Notice>
        ))}
        <Side side="gained" people={gain.map(({ name, gains }) => ({ name, roles: gains }))} />
        <Side side="lost" people={lose.map(({ name, loses }) => ({ name, roles: loses }))} />
        {preview && !isNew && (
          <section>
            <h3 className={styles.side}>
              <Icon of={Equal} size={14} />
              {t('trust.same')}
              <span className={styles.count}>{t('trust.people', { count: same })}</span>
            </h3>
            <p className={styles.sideText}>{t('trust.same-text')}</p>
          </section>
        )}
        {isNew && <p className={styles.muted}>{t('trust.new-text')}</p>}
      </div>
    </aside>
  );
}

interface Changed {
  name: string;
  roles: readonly string[];
}

/** More are shown on demand. */
const NAMED = 4;

function Side({ side, people }: { side: 'gained' | 'lost'; people: readonly Changed[] }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  if (people.length === 0) return null;
  const shown = isOpen ? people : people.slice(0, NAMED);
  const rest = people.length - shown.length;
  return (
    <section aria-label={t(`trust.${side}`)}>
      <h3 className={styles.side}>
        <EffectLine side={side}>{t(`trust.${side}`)}</EffectLine>
        <span className={styles.count}>{t('trust.people', { count: people.length })}</span>
      </h3>
      <ul>
        {shown.map(({ name, roles }) => (
          <li key={name} className={styles.person}>
            <Avatar name={name.split('/').at(-1) ?? name} />
            <span>
              <b>{name}</b> {t(side === 'gained' ? 'trust.gets' : 'trust.gives-up')} <code>{roles.join(', ')}</code>
            </span>
          </li>
        ))}
        {rest > 0 && (
          <li className={styles.person}>
            <span>{t('trust.more', { count: rest })}</span>
            <TextButton onClick={() => setOpen(true)}>{t('trust.show')}</TextButton>
          </li>
        )}
      </ul>
    </section>
  );
}
