/** The ways to add a provider: those that many have by name, and any other by how it speaks. */
import { ButtonLink } from '@gatehouse/design/button-link';
import { Icon } from '@gatehouse/design/icon';
import { providerIcon } from '@gatehouse/design/provider-icon';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PathLink, useFollow } from '../../platform/routing/routing.tsx';
import { newConnectorPath } from './connector-paths.ts';
import styles from './connectors.module.css';
import { PRESET, PRESETS, type PresetName } from './presets.ts';

const iconOf = (preset: PresetName) => {
  const { kind, icon, name } = PRESET[preset];
  return providerIcon({ name, type: kind, icon });
};

/** `isFirst`: there is none yet. */
export function AddProvider({ isFirst = false }: { isFirst?: boolean }) {
  const t = useTranslate();
  return (
    <section className={styles.add} aria-labelledby="add-provider">
      <div className={styles.addHead}>
        <h2 id="add-provider">{t(isFirst ? 'connectors.add-first' : 'connectors.add')}</h2>
        <span>{t('connectors.add-lead')}</span>
      </div>
      <ul className={styles.addList}>
        {PRESETS.map((preset) => (
          <li key={preset}>
            <PathLink path={newConnectorPath(preset)} className={styles.addLink}>
              <Icon of={iconOf(preset)} />
              {t(`connectors.preset-${preset}`)}
            </PathLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

const KINDS = ['oidc', 'github', 'saml'] as const;

/** Nobody has added one: says what each kind is for, and begins one. */
export function NoConnectors({ mayCreate }: { mayCreate: boolean }) {
  const t = useTranslate();
  const follow = useFollow();
  return (
    <div className={styles.empty}>
      <span className={styles.emptyIcon}>
        <Icon of={Fingerprint} size={24} />
      </span>
      <h2>{t('connectors.empty')}</h2>
      <p>{t('connectors.empty-text')}</p>
      <ul className={styles.kinds}>
        {KINDS.map((kind) => (
          <li key={kind} className={styles.kind}>
            <h3>
              <Icon of={iconOf(kind)} size={20} />
              {t(`connectors.kind-${kind}`)}
            </h3>
            <p>{t(`connectors.kind-${kind}-text`)}</p>
            {mayCreate && (
              <ButtonLink
                href={newConnectorPath(kind)}
                tone={kind === 'oidc' ? 'primary' : 'secondary'}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
                  event.preventDefault();
                  follow(newConnectorPath(kind));
                }}
              >
                {t('connectors.add-kind', { kind: t(`connectors.kind-${kind}`) })}
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
      {mayCreate && <AddProvider isFirst />}
    </div>
  );
}
