/** Sign-in through providers, one button each. */
import { ButtonLink } from '@gatehouse/design/button-link';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { Provider } from '../../shared/public-page/public-facts.ts';
import styles from './login-card.module.css';

interface ProviderButtonsProps {
  providers: readonly Provider[];
  target: string;
}

export function ProviderButtons({ providers, target }: ProviderButtonsProps) {
  const t = useTranslate();
  return (
    <div className={styles.providers}>
      {providers.map((provider) => (
        <ButtonLink
          key={provider.name}
          size="large"
          wide
          icon={providerIcon(provider)}
          href={providerAddress(provider, target)}
        >
          {t('login.use-provider', { name: provider.displayName || provider.name })}
        </ButtonLink>
      ))}
    </div>
  );
}

/** The gateway gives the address with two places to fill. */
export function providerAddress({ url, name }: Provider, target: string): string {
  return url
    .replace(':providerName', () => encodeURIComponent(name))
    .replace(':redirect', () => encodeURIComponent(window.location.origin + target));
}
