# The server alone: PostgreSQL is a service of its own (docker-compose.yml), so the bundled one stays out.
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /srv/knobel
# The libraries come first, so that a change of the code alone does not install them again.
COPY requirements-server.lock ./
RUN python -m venv --without-pip /srv/venv \
    && pip --python /srv/venv install --no-input --require-hashes --only-binary :all: -r requirements-server.lock
COPY app ./app
COPY migrations ./migrations
COPY static ./static
COPY templates ./templates
COPY pyproject.toml LICENSE ./
# Compiled here, because the running container cannot write beside the code.
RUN python -m compileall -q app migrations

FROM python:3.11-slim-bookworm
ENV PATH=/srv/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    KNOBEL_HOST=0.0.0.0 \
    KNOBEL_PORT=8000 \
    KNOBEL_DATA_DIR=/data
# The libraries stand in /srv/venv; the image's own pip has no further use.
RUN pip uninstall --yes --quiet --root-user-action=ignore pip \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /srv /srv
WORKDIR /srv/knobel
USER 10001:10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# No proxy from the environment may stand between the check and the server.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s --retries=3 CMD ["python", "-c", "import os, urllib.request as u; u.build_opener(u.ProxyHandler({})).open('http://127.0.0.1:' + os.environ['KNOBEL_PORT'] + '/health/live', timeout=4)"]
CMD ["python", "-m", "app"]
