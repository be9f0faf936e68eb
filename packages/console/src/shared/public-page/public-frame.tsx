/** The ground of the pages before signing in: the arches, the mark and title, the theme switch, the line at the foot. */
import { IconButton } from '@gatehouse/design/icon-button';
import { Mark } from '@gatehouse/design/mark';
import { useShownTheme, useTheme } from '@gatehouse/design/theme';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import type { ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './public-frame.module.css';

interface PublicFrameProps {
  version: string;
  children: ReactNode;
}

export function PublicFrame({ version, children }: PublicFrameProps) {
  const t = useTranslate();
  return (
    <div className={styles.frame}>
      <Arches />
      <ThemeSwitch />
      <main className={styles.content}>{children}</main>
      <footer className={styles.foot}>
        <span>{version && t('login.version', { version })}</span>
        <span>{t('login.recorded')}</span>
      </footer>
    </div>
  );
}

interface PublicColumnProps {
  title: string;
  /** Under the title: which cluster this is, or whose account. */
  lead?: string;
  children: ReactNode;
}

/** The mark, the title, and below them what the page is about. */
export function PublicColumn({ title, lead, children }: PublicColumnProps) {
  return (
    <div className={styles.column}>
      <header className={styles.header}>
        <Mark size={44} className={styles.mark} />
        <h1 className={styles.heading}>{title}</h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  );
}

function ThemeSwitch() {
  const t = useTranslate();
  const shown = useShownTheme();
  const [, setTheme] = useTheme();
  return (
    <IconButton
      className={styles.theme}
      icon={shown === 'dark' ? Sun : Moon}
      label={shown === 'dark' ? t('login.switch-to-light') : t('login.switch-to-dark')}
      tipSide="bottom"
      onClick={() => setTheme(shown === 'dark' ? 'light' : 'dark')}
    />
  );
}

const ARCHES = [
  ['M440 900V330a280 280 0 0 1 560 0V900', 0.5],
  ['M360 900V340a360 360 0 0 1 720 0V900', 0.32],
  ['M270 900V356a450 450 0 0 1 900 0V900', 0.22],
  ['M170 900V378a550 550 0 0 1 1100 0V900', 0.15],
  ['M60 900V406a660 660 0 0 1 1320 0V900', 0.1],
] as const;

function Arches() {
  return (
    <svg className={styles.arches} viewBox="0 0 1440 900" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <defs>
        <linearGradient id="arch-line" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className={styles.line} />
          <stop offset=".75" className={styles.line} stopOpacity=".12" />
        </linearGradient>
        <radialGradient id="arch-glow" cx=".5" cy=".42" r=".55">
          <stop offset="0" className={styles.glow} stopOpacity=".2" />
          <stop offset="1" className={styles.glow} stopOpacity="0" />
        </radialGradient>
      </defs>
      <path d="M440 900V330a280 280 0 0 1 560 0V900z" fill="url(#arch-glow)" />
      <g fill="none" stroke="url(#arch-line)">
        {ARCHES.map(([path, opacity]) => (
          <path key={path} d={path} opacity={opacity} />
        ))}
      </g>
    </svg>
  );
}
