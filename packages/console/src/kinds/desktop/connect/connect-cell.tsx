/** Connect, with the login somebody would take anyway, and an arrow for the others. */
import type { Desktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { Popover } from '@gatehouse/design/popover';
import { SplitArrow, SplitButton, SplitLink } from '@gatehouse/design/split-button';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../desktops.module.css';
import { type Connecting, desktopPath, mayType, NEW_TAB, offeredLogins } from './desktop-logins.ts';

interface ConnectCellProps {
  desktop: Desktop;
  connecting: Connecting;
}

export function ConnectCell({ desktop, connecting }: ConnectCellProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const { name } = desktop;
  const { clusterId, last, onConnect } = connecting;
  const logins = offeredLogins(desktop, last[name]);
  const [usual] = logins.length === 1 || last[name] !== undefined ? logins : [];
  const isAny = mayType(desktop);
  if (logins.length === 0 && !isAny)
    return (
      <span className={styles.none} title={t('desktops.no-login-hint')}>
        {t('desktops.no-login')}
      </span>
    );
  const more = (
    <Popover
      label={t('desktops.choose-login', { name })}
      open={isOpen}
      onOpenChange={setOpen}
      trigger={<SplitArrow label={t('desktops.choose-login', { name })} data-row-choice="" />}
    >
      <LoginMenu {...{ desktop, connecting, logins, isAny }} onDone={() => setOpen(false)} />
    </Popover>
  );
  if (usual === undefined)
    return (
      <SplitButton
        more={more}
        data-row-action=""
        aria-label={t('desktops.connect-to', { name })}
        onClick={() => setOpen(true)}
      >
        {t('desktops.connect')}
      </SplitButton>
    );
  const label = t('desktops.connect-as', { name, login: usual });
  return (
    <SplitLink
      {...NEW_TAB}
      data-row-action=""
      href={desktopPath(clusterId, name, usual)}
      title={label}
      aria-label={label}
      more={logins.length > 1 || isAny ? more : undefined}
      onClick={() => onConnect(name, usual)}
    >
      {t('desktops.connect')}
    </SplitLink>
  );
}

interface LoginMenuProps extends ConnectCellProps {
  logins: readonly string[];
  isAny: boolean;
  onDone: () => void;
}

function LoginMenu({ desktop, connecting, logins, isAny, onDone }: LoginMenuProps) {
  const t = useTranslate();
  const { go } = useBrowser();
  const [typed, setTyped] = useState('');
  const { name, gatehouse } = desktop;
  const { clusterId, onConnect } = connecting;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const login = typed.trim();
    if (login === '') return;
    onConnect(name, login);
    onDone();
    // A window that a form opens is taken for an advertisement by some browsers.
    go(desktopPath(clusterId, name, login));
  };
  return (
    <div className={styles.menu}>
      <h3 className={styles.menuHead}>{t('desktops.connect-as-heading')}</h3>
      <ul>
        {logins.map((login) => (
          <li key={login}>
            <a
              {...NEW_TAB}
              className={styles.menuOption}
              href={desktopPath(clusterId, name, login)}
              onClick={() => {
                onConnect(name, login);
                onDone();
              }}
            >
              <code>{login}</code>
              <span className={styles.menuHint}>
                {t(gatehouse?.stored.includes(login) ? 'desktops.password-stored' : 'desktops.password-asked')}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {isAny && (
        <form className={styles.typed} onSubmit={submit}>
          <TextField label={t('desktops.other-login')} mono maxLength={256} value={typed} onValueChange={setTyped} />
          <Button type="submit" disabled={typed.trim() === ''}>
            {t('desktops.connect')}
          </Button>
        </form>
      )}
    </div>
  );
}
