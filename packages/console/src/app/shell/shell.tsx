/** The frame of every private screen: navigation, top bar, the place of the screen, and what opens over it. */

import { PAGES } from '@gatehouse/contract/console/pages';
import { classNames } from '@gatehouse/design/class-names';
import { ToastProvider } from '@gatehouse/design/toast';
import { useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { type ShellActions, ShellActionsProvider, type WhyAbout } from '../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import { missingFlag } from '../navigation.ts';
import { PageTitle } from '../page-title.tsx';
import { isBuilt, SCREENS } from '../screens.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { HeadlessNews } from './headless-news.tsx';
import { PhoneDrawer } from './phone-drawer.tsx';
import { RememberCluster } from './remember-cluster.tsx';
import { ScreenPlace } from './screen-place.tsx';
import styles from './shell.module.css';
import { loadKeysDialog, loadPalette, loadWhyDialog } from './shell-parts.tsx';
import { SideNavigation } from './side-navigation.tsx';
import { TopBar } from './top-bar.tsx';
import { useFlagsHere } from './use-entries.ts';
import { useShellKeys } from './use-shell-keys.ts';

interface ShellProps {
  signOut: (atProvider?: string) => void;
  children: ReactNode;
}

export function Shell({ signOut, children }: ShellProps) {
  const t = useTranslate();
  const [isCollapsed, toggleNavigation] = useCollapsed();
  const [open, setOpen] = useState<'drawer' | 'palette' | 'keys' | 'why'>();
  const [about, setAbout] = useState<WhyAbout>();
  const wasOpen = useWasOpen(open);
  const close = () => setOpen(undefined);
  const flags = useFlagsHere();
  const actions = useMemo<ShellActions>(
    () => ({
      signOut: () => signOut(),
      signOutAt: signOut,
      showKeys: () => setOpen('keys'),
      openPalette: () => setOpen('palette'),
      askWhy: (question) => {
        setAbout(question);
        setOpen('why');
      },
      mayOpen: (page) => flags !== undefined && isBuilt(page) && !missingFlag(page, flags),
    }),
    [signOut, flags],
  );
  useShellKeys({ ...actions, toggleNavigation });

  return (
    <ShellActionsProvider actions={actions}>
      <ToastProvider>
        <div className={classNames(styles.shell, isCollapsed && styles.collapsed)}>
          <a href={`#${CONTENT_ID}`} className={styles.skip}>
            {t('shell.skip')}
          </a>
          <SideNavigation isCollapsed={isCollapsed} onToggle={toggleNavigation} />
          <TopBar onOpenDrawer={() => setOpen('drawer')} />
          <CurrentTitle />
          <Content>{children}</Content>
        </div>
        <HeadlessNews />
        <RememberCluster />
        <PhoneDrawer open={open === 'drawer'} onClose={close} />
        <Suspense>
          {wasOpen.palette && <Palette open={open === 'palette'} onClose={close} />}
          {wasOpen.keys && <KeysDialog open={open === 'keys'} onClose={close} />}
        </Suspense>
        {/* Apart from the palette that leads to it: waiting for the one must not hide the other while it closes. */}
        <Suspense>{open === 'why' && <WhyDialog about={about} onClose={close} />}</Suspense>
      </ToastProvider>
    </ShellActionsProvider>
  );
}

function useCollapsed(): [boolean, () => void] {
  const page = useCurrentPage()?.name;
  const wantsRoom = page?.startsWith('console') === true || page === 'workbench';
  const [usual, setUsual] = usePreference('navigation');
  const [beside, setBeside] = usePreference('terminalNavigation');
  if (wantsRoom) return [beside !== 'expanded', () => setBeside(beside === 'expanded' ? undefined : 'expanded')];
  return [usual === 'collapsed', () => setUsual(usual === 'collapsed' ? undefined : 'collapsed')];
}

/** Fetched when first opened, and kept from then on so that closing can be seen. */
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const WhyDialog = lazy(async () => ({ default: (await loadWhyDialog()).WhyDialog }));
const KeysDialog = lazy(async () => ({ default: (await loadKeysDialog()).KeysDialog }));

function useWasOpen(open: string | undefined): Record<string, boolean> {
  const [was, setWas] = useState<Record<string, boolean>>({});
  if (open !== undefined && !was[open]) setWas({ ...was, [open]: true });
  return was;
}

/** Here and not in the screen, so that a failing screen keeps its title. */
function CurrentTitle() {
  const page = useCurrentPage();
  return page && <PageTitle title={SCREENS[page.name].title} params={page.params} />;
}

const CONTENT_ID = 'content';

/** After a change of screen the focus is where the new one begins, not on a link that led to it. */
function Content({ children }: { children: ReactNode }) {
  const path = useLocation({ select: (location) => location.pathname });
  const stays = useLocation({ select: (location) => location.state.stays === true });
  const place = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    // The root only leads on; nobody chose to leave a screen for another.
    // Nor is anything taken from somebody who works in a screen that only got another address.
    if (before.current !== path && before.current !== PAGES.root.path && !stays) {
      place.current?.focus({ preventScroll: true });
      place.current?.scrollTo?.({ top: 0 });
    }
    before.current = path;
  }, [path, stays]);

  return (
    <div className={styles.body}>
      <ConnectionBanner />
      <main ref={place} id={CONTENT_ID} tabIndex={-1} className={styles.content}>
        <ScreenPlace>{children}</ScreenPlace>
      </main>
    </div>
  );
}
