/** What a person sets for this browser: theme, language, keys; and how dates look. */
import { Button } from '@gatehouse/design/button';
import { PageHeader } from '@gatehouse/design/page-header';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { Select } from '@gatehouse/design/select';
import { Switch } from '@gatehouse/design/switch';
import { useTheme } from '@gatehouse/design/theme';
import Keyboard from 'lucide-react/icons/keyboard';
import { type ReactNode, useId } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import {
  languages,
  PSEUDO,
  type ShownLanguage,
  showLanguage,
  shownLanguage,
  useTranslate,
} from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { loadTelemetry } from '../../platform/telemetry/load-telemetry.ts';
import { useThemeOptions } from '../theme-options.ts';
import { DatePreview } from './date-preview.tsx';
import { GatewaySettings } from './gateway-settings.tsx';
import styles from './settings-screen.module.css';

export function SettingsScreen() {
  const t = useTranslate();
  const mayReadGateway = useUser().userAcl.trustedClusters.read;
  return (
    <>
      <PageHeader title={t('pages.settings')} meta={t('settings.lead')} />
      <div className={styles.groups}>
        <Appearance />
        <Group title={t('settings.dates')} lead={t('settings.dates-hint')}>
          <DatePreview />
        </Group>
        <KeyboardGroup />
        <UsageGroup />
        {mayReadGateway && (
          <Group title={t('settings.gateway')} lead={t('settings.gateway-hint')}>
            <GatewaySettings />
          </Group>
        )}
      </div>
    </>
  );
}

function Appearance() {
  const t = useTranslate();
  const [theme, setTheme] = useTheme();
  const [, keepLanguage] = usePreference('language');
  const shown = shownLanguage();
  const shownOptions: ShownLanguage[] = shown === PSEUDO ? [...languages, PSEUDO] : languages;
  const change = (language: ShownLanguage) => {
    keepLanguage(language);
    void showLanguage(language);
  };
  return (
    <Group title={t('settings.appearance')}>
      <div className={styles.field}>
        <span className={styles.label} aria-hidden="true">
          {t('common.theme')}
        </span>
        <SegmentedControl
          label={t('common.theme')}
          segments={useThemeOptions()}
          value={theme}
          onValueChange={setTheme}
        />
        <p className={styles.hint}>{t('settings.theme-hint')}</p>
      </div>
      {/* One choice is none. */}
      {shownOptions.length > 1 && (
        <Select
          label={t('settings.language')}
          hint={t('settings.language-hint')}
          className={styles.field}
          value={shown}
          options={shownOptions.map((value) => ({
            value,
            label: t(value === PSEUDO ? 'settings.language-pseudo' : 'settings.language-en'),
          }))}
          onValueChange={change}
        />
      )}
    </Group>
  );
}

function KeyboardGroup() {
  const t = useTranslate();
  const { showKeys } = useShellActions();
  const [shortcuts, setShortcuts] = usePreference('shortcuts');
  return (
    <Group title={t('settings.keyboard')}>
      <div className={styles.field}>
        <Switch
          label={t('settings.shortcuts')}
          checked={shortcuts !== 'off'}
          onCheckedChange={(isOn) => setShortcuts(isOn ? undefined : 'off')}
        />
        <p className={styles.hint}>{t('settings.shortcuts-hint')}</p>
      </div>
      <div>
        <Button icon={Keyboard} onClick={showKeys}>
          {t('settings.show-keys')}
        </Button>
      </div>
    </Group>
  );
}

function UsageGroup() {
  const t = useTranslate();
  const browser = useBrowser();
  const [telemetry, setTelemetry] = usePreference('telemetry');
  const change = (isOn: boolean) => {
    setTelemetry(isOn ? 'true' : undefined);
    void loadTelemetry(browser);
  };
  return (
    <Group title={t('settings.usage')}>
      <div className={styles.field}>
        <Switch label={t('settings.telemetry')} checked={telemetry === 'true'} onCheckedChange={change} />
        <p className={styles.hint}>{t('settings.telemetry-hint')}</p>
      </div>
    </Group>
  );
}

function Group({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.group} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {lead && <p className={styles.hint}>{lead}</p>}
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  );
}
