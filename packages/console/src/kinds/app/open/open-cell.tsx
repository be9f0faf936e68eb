/** The way into an application: a new tab, a role of AWS to choose first, or a command for programs that speak TCP. */
import type { App, AwsRole } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Icon } from '@gatehouse/design/icon';
import { Menu, MenuHeading, MenuItem } from '@gatehouse/design/menu';
import { Popover } from '@gatehouse/design/popover';
import { TextButton } from '@gatehouse/design/text-link';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ExternalLink from 'lucide-react/icons/external-link';
import { type ReactElement, useState } from 'react';
import { useShellActions } from '../../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../apps.module.css';
import { launchPath, NEW_TAB } from './launch-path.ts';
import { TcpHelp } from './tcp-help.tsx';

export function OpenCell({ app }: { app: App }) {
  const type = app.gatehouse?.type ?? (app.awsConsole ? 'aws' : 'web');
  if (type === 'tcp') return <ConnectTcp app={app} />;
  if (type === 'aws') return <ChooseRole app={app} roles={app.awsRoles ?? []} />;
  return <Launch app={app} />;
}

function Launch({ app }: { app: App }) {
  const t = useTranslate();
  const path = launchPath(app);
  if (!path) return null;
  return (
    <ButtonLink
      {...NEW_TAB}
      size="small"
      href={path}
      aria-label={t('apps.launch-app', { app: app.name })}
      data-row-action=""
      icon={ExternalLink}
    >
      {t('apps.launch')}
    </ButtonLink>
  );
}

function ConnectTcp({ app }: { app: App }) {
  const t = useTranslate();
  return (
    <OnDemand
      trigger={
        <Button size="small" data-row-action="" aria-label={t('apps.connect-app', { app: app.name })}>
          {t('apps.connect')}
        </Button>
      }
      render={(props) => (
        <Popover {...props} label={t('apps.connect-app', { app: app.name })} align="end" className={styles.tcp}>
          <TcpHelp app={app} />
        </Popover>
      )}
    />
  );
}

function ChooseRole({ app, roles }: { app: App; roles: readonly AwsRole[] }) {
  const t = useTranslate();
  if (roles.length === 0) {
    return (
      <OnDemand
        trigger={
          <Button size="small" tone="ghost" data-row-action="" className={styles.none}>
            {t('apps.no-roles')}
          </Button>
        }
        render={(props) => (
          <Popover {...props} label={t('apps.no-roles-title', { app: app.name })} align="end" className={styles.tcp}>
            <b>{t('apps.no-roles-title', { app: app.name })}</b>
            <p className={styles.lead}>
              {t('apps.no-roles-text')} <WhyNoRole app={app} onAsk={() => props.onOpenChange(false)} />
            </p>
          </Popover>
        )}
      />
    );
  }
  return (
    <OnDemand
      trigger={
        <Button size="small" data-row-action="" aria-label={t('apps.choose-role-for', { app: app.name })}>
          {t('apps.launch')}
          <Icon of={ChevronDown} size={12} />
        </Button>
      }
      render={(props) => (
        <Menu {...props} className={styles.roles}>
          <MenuHeading>{t('apps.choose-role')}</MenuHeading>
          {roles.map((role) => (
            <RoleItem key={role.arn} app={app} role={role} />
          ))}
        </Menu>
      )}
    />
  );
}

function WhyNoRole({ app, onAsk }: { app: App; onAsk: () => void }) {
  const t = useTranslate();
  const { askWhy } = useShellActions();
  const ask = () => {
    onAsk();
    askWhy({ resource: { kind: 'app', id: app.name, name: app.name }, anyName: true });
  };
  return <TextButton onClick={ask}>{t('apps.why')}</TextButton>;
}

function RoleItem({ app, role }: { app: App; role: AwsRole }) {
  const path = launchPath(app, role.arn);
  const account = /^arn:[^:]+:iam::(\d{12}):/.exec(role.arn)?.[1];
  // Opened here and not by the link: a menu closes on Enter before a link in it could be followed into another tab.
  const open = (event: Event) => {
    event.preventDefault();
    if (path) window.open(path, NEW_TAB.target, NEW_TAB.rel);
  };
  return (
    <MenuItem {...(path ? { href: path } : {})} hint={account && <code>{account}</code>} onSelect={open}>
      {role.display || role.name}
    </MenuItem>
  );
}

interface OnDemandProps {
  trigger: ReactElement<{ onClick?: () => void }>;
  render: (props: { trigger: ReactElement; open: boolean; onOpenChange: (open: boolean) => void }) => ReactElement;
}

/** What opens is made when it is first wanted: one for each row that scrolls by would be felt. */
function OnDemand({ trigger, render }: OnDemandProps) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const first = () => {
    setWasOpen(true);
    setOpen(true);
  };
  return (
    <span className={styles.trigger} {...(wasOpen ? {} : { onClickCapture: first })}>
      {wasOpen ? render({ trigger, open: isOpen, onOpenChange: setOpen }) : trigger}
    </span>
  );
}
