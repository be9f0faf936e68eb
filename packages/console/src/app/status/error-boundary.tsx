/** Catches what fails while rendering outside the router, and offers another try. */
import { Component, type ReactNode } from 'react';
import { ErrorCard } from './error-card.tsx';
import { StatusPage } from './status-page.tsx';

interface ErrorBoundaryProps {
  children: ReactNode;
}

/** A class because React has no other way to catch. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <StatusPage>
        <ErrorCard error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
      </StatusPage>
    );
  }
}
