# Patchbay in one image: Node, PostgreSQL and the app. docs/deploy.md says how to run it.
#   docker build -t patchbay .
# A registry of your own: --build-arg NPM_CONFIG_REGISTRY=https://…; it is not kept in the image.

FROM node:24-trixie-slim AS sources
ARG NPM_CONFIG_REGISTRY
# npm runs on the Node of this image; everything else on the one that npm installs, which links to libatomic.
RUN apt-get update && apt-get install -y --no-install-recommends binutils libatomic1
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY web/package.json web/
COPY lab/bench/package.json lab/bench/

# The app in the browser: its tools and its sources stay in this stage.
FROM sources AS app
RUN npm ci --omit=dev --workspace=@patchbay/web --include-workspace-root
COPY . .
RUN npm run build

# The server with what it needs at run time.
FROM sources AS server
RUN npm ci --omit=dev --workspace=@patchbay/server --include-workspace-root
COPY ops/docker/remove-unused.sh /tmp/
RUN sh /tmp/remove-unused.sh
COPY contract contract
COPY docs/openapi.json docs/app-openapi.json docs/
COPY server server
COPY ops/docker/health-check.js ops/docker/first-run.sh ops/docker/
RUN sh ops/docker/first-run.sh

FROM debian:trixie-slim
# tini reaps orphans: when PostgreSQL is killed, its backends become children of process 1, and Node reaps only its own.
RUN apt-get update \
 && apt-get install -y --no-install-recommends libatomic1 tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* \
 # initdb wants a user with a name.
 && groupadd --gid 10001 patchbay \
 && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin patchbay \
 # A new volume takes the owner of the folder that it is mounted at.
 && install -d -o patchbay -g patchbay -m 700 /data /backup \
 && ln -s /app/server/patchbay.cjs /usr/local/bin/patchbay
COPY --from=server /app /app
COPY --from=app /app/web/dist /app/web/dist
ENV PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
    HOST=0.0.0.0 \
    PORT=8443 \
    DATA_DIR=/data
USER 10001:10001
WORKDIR /app
VOLUME /data
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "/app/ops/docker/health-check.js"]
ENTRYPOINT ["tini", "--", "patchbay"]
CMD ["start"]
