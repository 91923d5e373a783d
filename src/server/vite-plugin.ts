import type { Server } from 'node:http';
import { tsImport } from 'tsx/esm/api';
import type { CommonServerOptions, Connect, Plugin, PreviewServer, ViteDevServer } from 'vite';
import { NONCE_PLACEHOLDER } from '#lib/page-nonce.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { pagePolicy } from './headers.ts';
import type { Handler } from './reply.ts';
import { newNonce, staticFiles } from './static-files.ts';

/** Protocols of Vite's own sockets. */
const VITE_SOCKET = /^vite-/;

/** Attaches the local server to Vite, so that `npm run dev` has the endpoints and headers of `npm start`. */
export function voicewireServer(): Plugin {
  let nonce = NONCE_PLACEHOLDER;
  return {
    name: 'voicewire-server',
    config(given, { command, isPreview }) {
      if (command === 'build') return { html: { cspNonce: NONCE_PLACEHOLDER } };
      // A page served by Vite keeps one nonce. A built page gets a new one with each response.
      if (!isPreview) nonce = newNonce();
      const { host, port } = readEnvironment(process.env);
      // Vite merges these over the options of its command line.
      const listening = (asked: CommonServerOptions = {}) => ({
        host: asked.host ?? host,
        port: asked.port ?? port,
        strictPort: asked.strictPort ?? true,
      });
      return {
        html: { cspNonce: nonce },
        server: listening(given.server),
        preview: listening(given.preview),
      };
    },
    async configureServer(server: ViteDevServer) {
      const environment = readEnvironment(process.env);
      await attach(server, server.config.server, environment, undefined);
      server.middlewares.use((request, response, next) => {
        const pageOrigins = { host: request.headers.host ?? '', extra: environment.connect };
        response.setHeader('Content-Security-Policy', pagePolicy(nonce, pageOrigins, 'developing'));
        next();
      });
    },
    async configurePreviewServer(server: PreviewServer) {
      const environment = readEnvironment(process.env);
      const files = staticFiles(server.config.build.outDir, environment.connect);
      await attach(server, server.config.preview, environment, files);
    },
  };
}

interface Host {
  httpServer: ViteDevServer['httpServer'] | PreviewServer['httpServer'];
  middlewares: Connect.Server;
}

async function attach(
  { httpServer, middlewares }: Host,
  listening: CommonServerOptions,
  environment: Environment,
  files: Handler | undefined,
): Promise<void> {
  if (!httpServer) return;
  const host = listening.host === true ? '0.0.0.0' : listening.host || environment.host;
  // Vite bundles its configuration, and that bundle could not load vendors by their names.
  const { openApplication }: typeof import('./running-server.ts') = await tsImport(
    './running-server.ts',
    import.meta.url,
  );
  const { application, close } = await openApplication({ ...environment, host }, files ? { files } : {});
  middlewares.use((request, response, next) => application.handle(request, response, next));
  const http = httpServer as Server;
  http.on('upgrade', (request, socket, head) => {
    if (!VITE_SOCKET.test(request.headers['sec-websocket-protocol'] ?? '')) {
      application.upgrade(request, socket, head);
    }
  });
  http.once('close', () => void close());
}
