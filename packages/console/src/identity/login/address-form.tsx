/** Asks for an e-mail address where providers have domains, and leads to the one that is for it. */
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { Provider } from '../../shared/public-page/public-facts.ts';
import styles from './login-card.module.css';
import { providerAddress } from './provider-address.ts';

interface AddressFormProps {
  providers: readonly Provider[];
  target: string;
}

export function AddressForm({ providers, target }: AddressFormProps) {
  const t = useTranslate();
  const { go } = useBrowser();
  const [address, setAddress] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const domain = /@([^@\s]+)$/.exec(address.trim())?.[1]?.toLowerCase();
  const found = domain === undefined ? undefined : providers.find(({ domains }) => domains.includes(domain));
  const name = found && (found.displayName || found.name);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!found || isLeaving) return;
    setLeaving(true);
    go(providerAddress(found, target));
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t('login.address')}
        type="email"
        name="email"
        size="large"
        autoComplete="email"
        autoFocus
        value={address}
        onValueChange={(next) => {
          setAddress(next);
          setChecked(false);
        }}
        error={isChecked && !found ? missing(t, domain) : undefined}
        hint={
          found &&
          name && (
            <span className={styles.found}>
              <Icon of={providerIcon(found)} size={14} />
              {t('login.address-found', { domain: domain ?? '', name })}
            </span>
          )
        }
      />
      <Button type="submit" tone="primary" size="large" wide loading={isLeaving}>
        {name ? t('login.use-provider', { name }) : t('login.go-on')}
      </Button>
    </form>
  );
}

function missing(t: ReturnType<typeof useTranslate>, domain: string | undefined): string {
  return domain === undefined ? t('login.address-missing') : t('login.address-unknown', { domain });
}
