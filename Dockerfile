# hkgpu as an image: every face, no root, nothing written but below /data and /tmp.
# tests/deploy/test_image.py runs these steps in a bare Debian root (make deep); docs/deploy.md says what stays unrun.
FROM debian:bookworm-slim AS build
# Debian pins a release; a pin of each package would break with its next security update.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates gcc libc6-dev python3 python3-dev python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY locks locks
RUN python3 -m venv /opt/hkgpu \
    && CPPFLAGS=-DPyEval_CallObject=PyObject_CallObject /opt/hkgpu/bin/pip install --no-cache-dir --no-deps \
        --require-hashes -r locks/durable.txt \
    && /opt/hkgpu/bin/pip install --no-cache-dir --require-hashes -r locks/faces.txt
COPY pyproject.toml README.md LICENSE ./
COPY advisor advisor
COPY bots bots
COPY rules rules
COPY knowledge knowledge
RUN /opt/hkgpu/bin/pip install --no-cache-dir --no-deps . \
    && /opt/hkgpu/bin/hkgpu rules check \
    && /opt/hkgpu/bin/python -m compileall -q /opt/hkgpu/lib

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fonts-noto-cjk python3 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 hkgpu \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin hkgpu \
    && install -d -o hkgpu -g hkgpu -m 700 /data
COPY --from=build /opt/hkgpu /opt/hkgpu
ENV PATH=/opt/hkgpu/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/data \
    XDG_CACHE_HOME=/tmp/cache \
    GRADIO_TEMP_DIR=/tmp/gradio \
    HKGPU_DATABASE_URL=sqlite:////data/conversations.sqlite3
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:7860/healthz', timeout=4)"]
ENTRYPOINT ["hkgpu"]
CMD ["web", "--host", "0.0.0.0"]
