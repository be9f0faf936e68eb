/** Users and locks are two tabs of one screen: the navigation has one entry for both. */
import { type PageName, pagePath } from '@gatehouse/contract/pages';
import { TabLinks } from '@gatehouse/design/tab-links';
import { useFollow } from '../address/address.tsx';
import { useWords } from '../words/words.ts';

export function AccessTabs({ page }: { page: PageName }) {
  const t = useWords();
  const follow = useFollow();
  const link = (name: 'users' | 'locks') => ({
    href: pagePath(name),
    label: t(`access.tab-${name}`),
    current: page === name,
  });
  return (
    <TabLinks
      label={t('pages.users')}
      links={[link('users'), link('locks')]}
      onFollow={(href, event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        follow(href);
      }}
    />
  );
}
