/** Account settings: what is signed in as you, your password, your second factors. */
import { type PageName, pagePath } from '@gatehouse/contract/console/pages';
import { PageHeader } from '@gatehouse/design/page-header';
import { TabLinks } from '@gatehouse/design/tab-links';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { hasPassword, useUser } from '../../platform/sign-in/user.ts';
import styles from './account.module.css';
import { OverviewTab } from './overview-tab.tsx';
import { PasswordTab } from './password-tab.tsx';
import { SecondFactorTab } from './second-factor-tab.tsx';

const TABS = [
  ['account', 'account.tab-overview'],
  ['accountPassword', 'account.tab-password'],
  ['accountTwoFactor', 'account.tab-second-factor'],
] as const satisfies readonly (readonly [PageName, WordId])[];

export function AccountScreen({ page }: { page: PageName }) {
  const t = useTranslate();
  const follow = useFollow();
  const user = useUser();
  // Whoever came through a provider may have one from before all the same, and it signs them in.
  const tabs = TABS.filter(([name]) => hasPassword(user) || name !== 'accountPassword');
  return (
    <>
      <PageHeader title={t('pages.account')} meta={user.userName} />
      <div className={styles.tabs}>
        <TabLinks
          label={t('pages.account')}
          links={tabs.map(([name, label]) => ({ href: pagePath(name), label: t(label), current: name === page }))}
          onFollow={(href, event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            follow(href);
          }}
        />
      </div>
      {page === 'account' && <OverviewTab />}
      {page === 'accountPassword' && <PasswordTab />}
      {page === 'accountTwoFactor' && <SecondFactorTab />}
    </>
  );
}
