/** Every colour role. */

import styles from './gallery.module.css';
import { Section } from './section.tsx';

const ROLES =
  'canvas surface-1 surface-2 surface-3 surface-4 surface-pop border-control text text-muted text-faint text-disabled brand brand-hover brand-press brand-text brand-soft brand-soft-2 brand-line focus ok ok-text ok-soft warn warn-text warn-soft bad bad-text bad-soft bad-solid info info-text info-soft data data-strong data-selected mark mark-current term-bg term-text term-dim term-red term-green term-yellow term-blue term-magenta term-cyan term-cursor term-select'.split(
    ' ',
  );

export function ColourSection() {
  return (
    <Section
      id="colour"
      title="Colour roles"
      rule="Surfaces step towards you. Purple marks the one action and where you are. Four state colours, nothing else."
    >
      <div className={styles.swatches}>
        {ROLES.map((role) => (
          <div key={role} className={styles.swatch}>
            <span style={{ background: `var(--${role})` }} />
            {role}
          </div>
        ))}
      </div>
    </Section>
  );
}
