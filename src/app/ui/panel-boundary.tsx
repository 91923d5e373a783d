import { Component, type ReactNode } from 'react';
import { Notice } from './notice.tsx';

interface Props {
  name: string;
  children: ReactNode;
}

/** Confines a rendering error to one panel. The rest of the page and the sound continue. */
export class PanelBoundary extends Component<Props, { failure: string | null }> {
  override state: { failure: string | null } = { failure: null };

  static getDerivedStateFromError(error: unknown): { failure: string } {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.failure === null) return this.props.children;
    return (
      <div className="p-4">
        <Notice
          severity="error"
          title={`${this.props.name} cannot be shown`}
          remedy="Show it again; if that does not help, reload the page. Speech goes on meanwhile."
          action={{ label: 'Show again', onPress: () => this.setState({ failure: null }) }}
        >
          The page ran into an error of its own: {this.state.failure}
        </Notice>
      </div>
    );
  }
}

export const inBoundary = (name: string, panel: ReactNode): ReactNode => (
  <PanelBoundary name={name}>{panel}</PanelBoundary>
);
