/** Sign-in through providers, one button each. */
import { ButtonLink } from '@gatehouse/design/button-link';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { Provider } from '../../shared/public-page/public-facts.ts';
import styles from './login-card.module.css';
import { providerAddress } from './provider-address.ts';

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
