/** The page that holds all sections, with the theme switch. */

import { Mark } from '../mark.tsx';
import { SegmentedControl } from '../segmented-control.tsx';
import { useTheme } from '../theme.ts';
import { AnswersSection } from './answers-section.tsx';
import { ButtonsSection } from './buttons-section.tsx';
import { ChipsSection } from './chips-section.tsx';
import { ColourSection } from './colour-section.tsx';
import { FloatingSection } from './floating-section.tsx';
import styles from './gallery.module.css';
import { IconsSection } from './icons-section.tsx';
import { InputsSection } from './inputs-section.tsx';
import { StepsSection } from './steps-section.tsx';
import { TableSection } from './table-section.tsx';
import { TypeSection } from './type-section.tsx';
import { WaitingSection } from './waiting-section.tsx';
import { WaysSection } from './ways-section.tsx';

export function Gallery() {
  const [theme, setTheme] = useTheme();
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <Mark />
        <h1 className={styles.name}>Gatehouse</h1>
        <span className={`${styles.faint} ${styles.tagline}`}>Component gallery</span>
        <span className={styles.grow} />
        <SegmentedControl
          label="Theme"
          value={theme}
          onValueChange={setTheme}
          segments={[
            { value: 'dark', label: 'Dark' },
            { value: 'light', label: 'Light' },
            { value: 'system', label: 'System' },
          ]}
        />
      </header>
      <main className={styles.main}>
        <ColourSection />
        <TypeSection />
        <IconsSection />
        <ButtonsSection />
        <InputsSection />
        <ChipsSection />
        <WaysSection />
        <WaitingSection />
        <TableSection />
        <FloatingSection />
        <AnswersSection />
        <StepsSection />
      </main>
    </div>
  );
}
