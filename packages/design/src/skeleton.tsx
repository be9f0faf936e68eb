/** The shape of what is about to come. Silent: whoever shows it says that it is loading. */

import styles from './skeleton.module.css';

interface SkeletonProps {
  width?: number | string;
  height?: number;
  radius?: number;
}

export function Skeleton({ width = '100%', height, radius }: SkeletonProps) {
  return <span aria-hidden="true" className={styles.skeleton} style={{ width, height, borderRadius: radius }} />;
}
