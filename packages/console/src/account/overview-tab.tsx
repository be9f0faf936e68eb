/** What is signed in as you: browsers, command lines and tokens; and the theme of this browser. */
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { useTheme } from '@gatehouse/design/theme';
import { useWords } from '../words/words.ts';
import { useThemeOptions } from '../world/theme-options.ts';
import styles from './account.module.css';
import { BrowsersSection } from './browsers-section.tsx';
import { CredentialsSection } from './credentials-section.tsx';
import { Section } from './section.tsx';

export function OverviewTab() {
  return (
    <>
      <BrowsersSection />
      <CredentialsSection />
      <ThemeSection />
    </>
  );
}

function ThemeSection() {
  const t = useWords();
  const [theme, setTheme] = useTheme();
  return (
    <Section title={t('common.theme')} lead={t('account.theme-lead')}>
      <div className={styles.body}>
        <SegmentedControl
          label={t('common.theme')}
          segments={useThemeOptions()}
          value={theme}
          onValueChange={setTheme}
        />
      </div>
    </Section>
  );
}
