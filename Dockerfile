# The page, its server and a speech engine in one image: docs/deployment.md.
#
# Licence: Voicewire is Apache-2.0. The speech engine @echogarden/espeak-ng-emscripten is GPL-3.0. An image that
# contains it is, as a whole, a GPL-3.0 work: whoever passes it on must pass on source and licence text as well.
# Running it, also for others over a network, obliges to nothing. `--build-arg ESPEAK=no` leaves the engine out, for
# servers that speak through another one (VOICEWIRE_ENGINE=openai).

ARG NODE=22

FROM node:${NODE}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:${NODE}-bookworm-slim AS packages
ARG ESPEAK=yes
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund \
  && if [ "$ESPEAK" != yes ]; then rm -r node_modules/@echogarden; fi

FROM node:${NODE}-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4173
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/build build
COPY --from=build /app/dist dist
# Without rights to change anything above.
USER node
EXPOSE 4173
# Not /ready, because a supervisor would restart a server whose Redis is away.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself, so that it gets the signals.
CMD ["node", "build/command/voicewire.js"]
